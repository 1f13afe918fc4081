// connect.mjs URL CLIENT TOOL FAILING: an official MCP client, with the bearer token of the environment (TOKEN), walks the
// list of tools page by page, calls TOOL with {"body":"said"}, then FAILING, then a tool that is not there. CLIENT: v1, the
// SDK of the older versions; v2-legacy or v2-modern, the next one in either era. What it sees is written line by line.
const [url, which, tool, failing] = process.argv.slice(2);
const say = (...words) => console.log(words.join(' '));
const headers = { authorization: `Bearer ${process.env.TOKEN}` };

async function make() {
	if (which === 'v1') {
		const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
		const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
		return [new Client({ name: 'connect', version: '1' }), StreamableHTTPClientTransport];
	}
	const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
	const mode = which === 'v2-modern' ? 'auto' : 'legacy';
	return [new Client({ name: 'connect', version: '2' }, { versionNegotiation: { mode } }), StreamableHTTPClientTransport];
}

let pages = 0;
function counted(address, init) {
	if (init?.body && JSON.parse(init.body).method === 'tools/list') pages++;
	return fetch(address, init);
}

const [client, Transport] = await make();
try {
	await client.connect(new Transport(new URL(url), { requestInit: { headers }, fetch: counted }));
} catch (e) {
	say('refused', e.message.includes('401') || e.code === 401 ? 401 : e.message);
	process.exit(0);
}
say('server', client.getServerVersion()?.name);
const names = [];
let cursor;
do {
	const page = await client.listTools({ cursor });
	names.push(...page.tools.map((t) => t.name));
	cursor = page.nextCursor;
} while (cursor !== undefined);
say('pages', pages);
say('tools', ...names);
const answer = await client.callTool({ name: tool, arguments: { body: 'said' } });
say('result', answer.content[0].text);
const error = await client.callTool({ name: failing, arguments: {} });
say('failed', error.isError, error.content[0].text.split('\n')[0]);
await client.callTool({ name: 'NO_SUCH', arguments: {} }).then(() => say('no error'), (e) => say('error', e.code));
await client.close();
