// follow.mjs URL ERA TOOL: the official MCP client calls a tool and says what it hears of its progress; a client of the
// modern era then listens for changes until the server ends that. ERA: modern or legacy. With OWNER_KEY in the
// environment it presents that. What it sees is written line by line.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const [url, era, tool] = process.argv.slice(2);
const client = new Client({ name: 'follow', version: '1' }, { versionNegotiation: { mode: era === 'modern' ? 'auto' : 'legacy' } });
const headers = process.env.OWNER_KEY ? { 'x-terminal-key': process.env.OWNER_KEY } : {};
const say = (...words) => console.log(words.join(' '));

await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
const answer = await client.callTool({ name: tool, arguments: {} }, { onprogress: (p) => say('progress', p.progress, p.total, p.message) });
say('result', answer.content[0].text);
if (era === 'modern') {
	client.setNotificationHandler('notifications/tools/list_changed', async () => {
		const names = (await client.listTools(undefined, { cacheMode: 'refresh' })).tools.map((t) => t.name);
		say('changed', names.includes('NEW_ROW') ? 'NEW_ROW is there' : 'NEW_ROW is not there');
	});
	const listening = await client.listen({ toolsListChanged: true });
	say('listening', JSON.stringify(listening.honoredFilter));
	say('ended', await listening.closed);
}
await client.close();
