// schemas.mjs FILE: compiles, strictly, every schema of an OpenAPI document's rows, or of a list of tool definitions, and
// validates the examples. Prints how many schemas and examples were good; says what was not, and exits 1 then.
import { readFileSync } from 'node:fs';
import Ajv2020 from 'ajv/dist/2020.js';

const doc = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const ajv = new Ajv2020.default({ strict: true, allowUnionTypes: true, strictTypes: false, strictRequired: false, strictTuples: false, validateFormats: false });
let schemas = 0, examples = 0, bad = 0;

function check(name, schema, values) {
	let validate;
	try {
		validate = ajv.compile(schema);
		schemas++;
	} catch (e) {
		console.log(`${name}: ${e.message}`);
		bad++;
		return;
	}
	for (const value of values) {
		if (validate(value)) examples++;
		else { console.log(`${name}: example ${JSON.stringify(value)}: ${ajv.errorsText(validate.errors)}`); bad++; }
	}
}

// What the vendors' own endpoints refuse.
function strict(name, description, schema) {
	const root = ['anyOf', 'oneOf', 'allOf', 'not', 'enum', 'const', '$ref', '$defs', 'definitions', '$schema'].filter((k) => k in schema);
	const names = Object.keys(schema.properties ?? { ' ': 0 }).filter((k) => !/^[A-Za-z0-9_.-]{1,64}$/.test(k));
	if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) complain(name, 'its name');
	if (!description || Buffer.byteLength(description) > 1024) complain(name, 'its description');
	if (schema.type !== 'object') complain(name, 'its root is no object');
	if (root.length) complain(name, `at the root: ${root}`);
	if (names.length) complain(name, `arguments: ${names}`);
	if (JSON.stringify(schema).includes('"$ref"')) complain(name, 'a reference');
}
function complain(name, what) { console.log(`${name}: ${what}`); bad++; }

for (const [path, { post }] of Object.entries(doc.paths ?? {})) {
	if (!post || !/^\/api\/run\/\w+$/.test(path)) continue;
	const body = post.requestBody.content['application/json'];
	check(path, body.schema, Object.values(body.examples ?? {}).map((e) => e.value));
}
for (const tool of doc.tools ?? []) {
	const f = tool.function ?? tool, schema = f.input_schema ?? f.parameters;
	strict(f.name, f.description, schema);
	check(f.name, schema, []);
}
console.log(`${schemas} schemas, ${examples} examples`);
process.exit(bad || !schemas ? 1 : 0);
