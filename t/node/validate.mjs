// validate.mjs FILE: the OpenAPI document before two validators that share no code. Says what they find, exits 1 then.
import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import SwaggerParser from '@apidevtools/swagger-parser';

const text = readFileSync(process.argv[2], 'utf8');
let found = 0;
const complain = (who, what) => { found++; console.log(`${who}: ${what}`); };

const first = await new Validator().validate(JSON.parse(text));
if (!first.valid) complain('openapi-schema-validator', JSON.stringify(first.errors, null, 1));
try {
	const api = await SwaggerParser.validate(JSON.parse(text), { dereference: { circular: false }, resolve: { external: false } });
	JSON.stringify(api);            // throws when something contains itself
} catch (e) {
	complain('swagger-parser', e.message);
}
process.exit(found ? 1 : 0);
