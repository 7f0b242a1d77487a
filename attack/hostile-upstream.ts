import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { parentPort } from 'node:worker_threads';
import { jsonStringsOf, spellingsOf } from './spellings.ts';

/** An upstream whose path selects what it does: respond with much data, slowly, with an error, or with the secret. */
const handlers: Readonly<Record<string, (url: URL, response: ServerResponse) => void>> = {
  '/rows': (_url, response) => send(response, ROWS),
  '/large': (url, response) => {
    const bytes = Number(url.searchParams.get('mib') ?? 1) * 1024 * 1024;
    send(response, `{"text":"${'x'.repeat(bytes - 16)}"}`);
  },
  '/slow': (url, response) => {
    const timer = setTimeout(() => send(response, '{}'), Number(url.searchParams.get('ms')));
    waiting++;
    response.once('close', () => {
      waiting--;
      clearTimeout(timer);
    });
  },
  '/waiting': (_url, response) => send(response, JSON.stringify({ waiting })),
  '/fail': (_url, response) => {
    response.statusCode = 503;
    send(response, '{}');
  },
  '/echo': (url, response) => {
    response.statusCode = Number(url.searchParams.get('status') ?? 200);
    const token = url.searchParams.get('token') ?? '';
    const forms = [
      ...spellingsOf(token).map((form) => JSON.stringify(form)),
      ...jsonStringsOf(token).map((text) => `"${text}"`),
    ];
    send(response, `{"forms":[${forms}]}`);
  },
};

const ROWS = JSON.stringify({
  rows: Array.from({ length: 40 }, (_, n) => ({ id: `row-${n}`, name: '서울특별시', value: n })),
});

let waiting = 0;

function send(response: ServerResponse, body: string): void {
  response.setHeader('content-type', 'application/json').end(body);
}

function handle(request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://upstream.invalid');
  request.resume().once('end', () => {
    const handler = handlers[url.pathname];
    if (handler) handler(url, response);
    else send(response, '{}');
  });
}

const server = createServer(handle).listen(0, '127.0.0.1', () => {
  const address = server.address();
  parentPort?.postMessage(typeof address === 'object' && address ? address.port : 0);
});
