import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Pool } from 'undici';

/**
 * What Node.js itself costs: `node:http` and undici answer calls as the gateway does, but nothing is checked, limited
 * or recorded. Calls with `n` 1 are answered from memory after the first.
 */
const [port, upstream] = [Number(process.argv[2]), String(process.argv[3])];

const pool = new Pool(upstream, { connections: 32, headersTimeout: 0, bodyTimeout: 0 });
let kept: Buffer | null = null;

createServer((request, response) => {
  read(request, (body) => {
    const { id, params } = JSON.parse(body.toString());
    const isKept = params.arguments.n === 1;
    if (isKept && kept) return answer(response, id, kept);
    ask(params.arguments.n, (data) => {
      if (isKept) kept = data;
      answer(response, id, data);
    });
  });
}).listen(port, '127.0.0.1');

function read(request: IncomingMessage, whenRead: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => whenRead(Buffer.concat(chunks)));
}

function ask(n: number, whenAnswered: (data: Buffer) => void): void {
  const chunks: Buffer[] = [];
  pool.dispatch(
    { method: 'GET', path: `/echo?n=${n}` },
    {
      onRequestStart: () => undefined,
      onResponseStart: () => undefined,
      onResponseData: (_controller, chunk) => void chunks.push(chunk),
      onResponseEnd: () => whenAnswered(Buffer.concat(chunks)),
      onResponseError: (_controller, error) => {
        throw error;
      },
    },
  );
}

function answer(response: ServerResponse, id: number, data: Buffer): void {
  const head = `{"jsonrpc":"2.0","id":${id},"result":{"data":`;
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': head.length + data.length + 2,
  });
  response.cork();
  response.write(head);
  response.write(data);
  response.end('}}');
}
