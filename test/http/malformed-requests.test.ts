import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { sendRaw } from '../support/raw-request.ts';
import { openSocket } from '../support/raw-socket.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ env: { MAX_BODY_BYTES: '100000' } });
});
afterAll(() => gateway.close());

const CALL = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { limit: 1 } });

/** Sends lines unchanged and reads until the gateway closes the connection. */
async function exchange(lines: readonly string[], body = ''): Promise<HttpResponse> {
  const socket = await openSocket(gateway.url);
  socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
  return readResponse(await socket.closed);
}

interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: { readonly error: string; readonly message: string };
}

function readResponse(text: string): HttpResponse {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = new Headers(
    lines.map((line): [string, string] => [
      line.slice(0, line.indexOf(':')),
      line.slice(line.indexOf(':') + 1),
    ]),
  );
  return { status: Number(statusLine.split(' ')[1]), headers, body: JSON.parse(body) };
}

const keyed = (): string => `x-api-key: ${gateway.key}`;

describe('an ambiguous request is refused, and its connection closed', () => {
  test.each<[string, number, RegExp, () => readonly string[]]>([
    ['two Host headers', 400, /more than one Host/, () => ['host: a', 'host: b']],
    ['no Host header', 400, /Host header is missing/, () => []],
    ['101 headers', 431, /too many/, () => ['host: a', ...Array(100).fill('x-a: b')]],
    ['headers of over 16 KiB', 431, /too large/, () => ['host: a', `x-a: ${'b'.repeat(17_000)}`]],
    ['an unknown expectation', 417, /100-continue/, () => ['host: a', 'expect: the-best']],
    ['an invalid length', 400, /not valid HTTP/, () => ['host: a', 'content-length: x']],
    [
      'a length and chunks',
      400,
      /not valid HTTP/,
      () => ['host: a', 'content-length: 1', 'transfer-encoding: chunked'],
    ],
  ])('%s: %i', async (_what, status, message, lines) => {
    const response = await exchange(['GET /health HTTP/1.1', ...lines()]);
    expect(response.status).toBe(status);
    expect(Object.keys(response.body)).toEqual(['error', 'message']);
    expect(response.body.message).toMatch(message);
    expect(response.headers.get('connection')).toBe('close');
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('x-request-id')).toMatch(/^req_\w+$/);
    expect(response.headers.get('x-error-code')).toMatch(/^[a-z_]+$/);
  });

  test.each([
    ['GET /health HTTP/0.9'],
    ['GET /health'],
    ['GET /health HTTP/2.0'],
    ['GET /health HTTP/1.0\r\nte: trailers'],
    ['GET /health HTTP/1.0\r\ntransfer-encoding: chunked'],
    ['\u0016\u0003\u0001\u0002'],
  ])('%j: 400', async (line) => {
    const response = await exchange([line]);
    expect(response.status).toBe(400);
    expect(response.body.error).toBe('Bad Request');
    expect(response.headers.get('connection')).toBe('close');
  });

  test('HTTP/1.0 is answered, even without a Host header', async () => {
    const response = await exchange(['GET /health HTTP/1.0']);
    expect(response.status).toBe(200);
  });
});

test.each(['authorization: Bearer', 'x-api-key:'])('%s twice is 401', async (header) => {
  const response = await exchange([
    'GET /api/v1/tools HTTP/1.1',
    'host: a',
    'connection: close',
    `${header} ${gateway.key}`,
    `${header} ${gateway.key}`,
  ]);
  expect(response.status).toBe(401);
  expect(response.body.message).toBe(
    'A valid API key is required. Send it in the header x-api-key, or in Authorization as a bearer token.',
  );
});

describe('a body with a Content-Encoding', () => {
  const send = (coding: string) =>
    sendRaw(gateway.url, {
      headers: {
        'x-api-key': gateway.key,
        'content-type': 'application/json',
        'content-encoding': coding,
      },
      body: CALL,
    });

  test.each(['gzip', 'br', 'nonsense', 'identity, gzip'])('%s is 415', async (coding) => {
    const { status, headers, json } = await send(coding);
    expect(status).toBe(415);
    expect(json).toEqual({
      error: 'Unsupported Media Type',
      message: expect.stringContaining('identity'),
    });
    expect(headers['accept-encoding']).toBe('identity');
  });

  test('identity is accepted', async () => {
    expect((await send('Identity')).json.result.tools).toHaveLength(1);
  });
});

describe('Expect: 100-continue', () => {
  const head = (...lines: string[]): string =>
    [
      'POST /mcp HTTP/1.1',
      'host: a',
      'content-type: application/json',
      'expect: 100-continue',
      ...lines,
    ]
      .map((line) => `${line}\r\n`)
      .join('')
      .concat('\r\n');

  test('a client with a valid key receives 100 Continue, and a response', async () => {
    const socket = await openSocket(gateway.url);
    socket.write(head(keyed(), `content-length: ${CALL.length}`));
    await socket.saw('HTTP/1.1 100 Continue\r\n\r\n');
    socket.write(CALL);
    await socket.saw('"tools":');
    expect(socket.text()).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
    socket.close();
  });

  test.each<[number, () => string[]]>([
    [401, () => ['content-length: 10']],
    [401, () => ['x-api-key: wrong', 'content-length: 10']],
    [413, () => [keyed(), 'content-length: 100001']],
    [415, () => [keyed(), 'content-encoding: gzip', 'content-length: 10']],
  ])('a client that would be refused is refused at once: %i', async (status, lines) => {
    const socket = await openSocket(gateway.url);
    socket.write(head(...lines()));
    expect(await socket.closed).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  });
});
