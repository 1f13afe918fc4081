// client.mjs FILE: a client made from the OpenAPI document calls rows and the interface by their operationIds. Each
// line of standard input is an operationId, JSON of parameters, JSON of a body; the answer is a line: the status, the body.
// With OWNER_KEY in the environment it presents that.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { OpenAPIClientAxios } from 'openapi-client-axios';

const file = process.argv[2], key = process.env.OWNER_KEY;
const api = new OpenAPIClientAxios({ definition: JSON.parse(readFileSync(file, 'utf8')), axiosConfigDefaults: { proxy: false, validateStatus: () => true } });
const client = await api.init();
if (key) client.defaults.headers['x-terminal-key'] = key;
for await (const line of createInterface({ input: process.stdin })) {
	const [operation, parameters, body] = line.split('\t').map((piece, i) => (i ? JSON.parse(piece) : piece));
	const answer = await client[operation](parameters, body).catch((e) => ({ status: 0, data: e.message }));
	console.log(`${answer.status} ${typeof answer.data === 'string' ? answer.data.split('\n')[0] : JSON.stringify(answer.data)}`);
}
