import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Pool } from 'undici';

/**
 * Measures what Node.js itself costs: `node:http` and undici serve calls as the gateway does, but nothing is checked,
 * limited or recorded. The response for `n` 1 is cached in memory.
 */
const [port, upstream] = [Number(process.argv[2]), String(process.argv[3])];

const pool = new Pool(upstream, { connections: 32, headersTimeout: 0, bodyTimeout: 0 });
let cached: Buffer | null = null;

createServer((request, response) => {
  read(request, (body) => {
    const { id, params } = JSON.parse(body.toString());
    const isCached = params.arguments.n === 1;
    if (isCached && cached) return send(response, id, cached);
    fetchUpstream(params.arguments.n, (data) => {
      if (isCached) cached = data;
      send(response, id, data);
    });
  });
}).listen(port, '127.0.0.1');

function read(request: IncomingMessage, onBody: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => onBody(Buffer.concat(chunks)));
}

function fetchUpstream(n: number, onData: (data: Buffer) => void): void {
  const chunks: Buffer[] = [];
  pool.dispatch(
    { method: 'GET', path: `/echo?n=${n}` },
    {
      onRequestStart: () => undefined,
      onResponseStart: () => undefined,
      onResponseData: (_controller, chunk) => void chunks.push(chunk),
      onResponseEnd: () => onData(Buffer.concat(chunks)),
      onResponseError: (_controller, error) => {
        throw error;
      },
    },
  );
}

function send(response: ServerResponse, id: number, data: Buffer): void {
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
