import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { request } from 'undici';

/** A minimal tool server on the official MCP SDK: one tool, one upstream GET per call, nothing else. */
const [port, upstream] = [Number(process.argv[2]), String(process.argv[3])];

const tool = {
  name: 'bench_echo',
  description: 'Returns 2 KB.',
  inputSchema: {
    type: 'object' as const,
    properties: { n: { type: 'integer' } },
    required: ['n'],
    additionalProperties: false,
  },
};

const handler = createMcpHandler(() => {
  const server = new Server({ name: 'bench', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', async () => ({ tools: [tool] }));
  server.setRequestHandler('tools/call', async ({ params }) => {
    const { body } = await request(`${upstream}/echo?n=${String(params.arguments?.['n'])}`);
    return { content: [{ type: 'text' as const, text: await body.text() }] };
  });
  return server;
});
const node = toNodeHandler(handler);

createServer(
  (incoming, outgoing) =>
    // Without a URL, the type of the adapter omits the member, that of Node.js has it as undefined.
    void node(incoming as Parameters<typeof node>[0], outgoing),
).listen(port, '127.0.0.1', () => process.stdout.write('ready\n'));
