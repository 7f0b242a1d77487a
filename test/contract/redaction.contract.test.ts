import type { ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Secret } from '../../src/platform/kernel/secret.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { openSse, type SseClient } from '../support/sse-client.ts';
import { until } from '../support/until.ts';
import { verifies } from './requirements.ts';

const PRESET = `openapi: 3.1.0
info: { title: Echo, version: "1" }
servers: [{ url: "http://fixture.invalid" }]
x-public-data: true
components:
  securitySchemes:
    key: { type: apiKey, in: query, name: serviceKey, x-secret: PUBLIC_DATA_SERVICE_KEY }
    basic: { type: http, scheme: basic, x-secret: ECHO_LOGIN }
    short: { type: apiKey, in: query, name: pin, x-secret: ECHO_PIN }
security: [{ key: [], basic: [], short: [] }]
paths:
  /echo:
    get:
      operationId: fixture_echo
      description: Repeats its request.
      parameters:
        - { name: n, in: query, required: true, description: Keeps answers apart in the cache., schema: { type: integer } }
      responses: { "200": { description: Anything. } }
`;

const KEY = 'Recognisable+Key/0123456789==';
const LOGIN = 'someone:recognisable-password';
const SECRETS: Readonly<Record<string, string>> = {
  // The form in which the portal also shows it.
  PUBLIC_DATA_SERVICE_KEY: encodeURIComponent(KEY),
  ECHO_LOGIN: LOGIN,
  ECHO_PIN: 'p1n',
};

/** The values that must not appear, under any decoding, in anything that leaves the gateway. */
const MARKS = ['ecognisable', 'p1n'];

const undoPercent = (text: string): string =>
  text.replace(/%([0-7][0-9a-f])/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
const undoUnicode = (text: string): string =>
  text.replace(/\\+u00([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
const undoReferences = (text: string): string =>
  text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
const undoBase64 = (text: string): string =>
  (text.match(/[\w+/-]{8,}/g) ?? [])
    .flatMap((run) =>
      [0, 1, 2, 3].map((at) => Buffer.from(run.slice(at), 'base64').toString('latin1')),
    )
    .join(' ');

function marksIn(text: string): string[] {
  const once = undoReferences(undoUnicode(undoPercent(text)));
  const twice = undoReferences(undoUnicode(undoPercent(once)));
  const decoded = [text, once, twice, undoBase64(text), undoBase64(twice)];
  return MARKS.filter((mark) => decoded.some((form) => form.includes(mark)));
}

type Echo = { readonly url: string; readonly authorization: string };

const each = (text: string, write: (code: number) => string): string =>
  [...text].map((character) => write(character.charCodeAt(0))).join('');
const hex = (code: number): string => code.toString(16).padStart(2, '0');
const plain = ({ url, authorization }: Echo): string =>
  `${decodeURIComponent(url)} ${authorization}`;

/** Short secrets are redacted in strings only. */
const longOnes = ({ url, authorization }: Echo): string =>
  `${url.replace(/pin=[^&]*/, '')} ${KEY} ${authorization}`;

/** Responses that echo their request, by name: content type and body. */
const ECHOES: Readonly<Record<string, readonly [string, (echo: Echo) => string | Buffer]>> = {
  JSON: [
    'application/json',
    (echo) => JSON.stringify({ ...echo, key: decodeURIComponent(echo.url) }),
  ],
  'JSON with escaped slashes': [
    'application/json',
    (echo) => JSON.stringify({ text: plain(echo) }).replaceAll('/', '\\/'),
  ],
  'JSON in escapes only': [
    'application/json',
    (echo) => `{"text":"${each(plain(echo), (code) => `\\u00${hex(code)}`)}"}`,
  ],
  'JSON within JSON': ['application/json', (echo) => JSON.stringify({ log: JSON.stringify(echo) })],
  'percent-encoded in every character': [
    'application/json',
    (echo) => JSON.stringify([each(plain(echo), (code) => `%${hex(code)}`)]),
  ],
  'with the login taken apart': ['application/json', () => JSON.stringify(LOGIN.split(':'))],
  'in base64': [
    'application/json',
    (echo) => JSON.stringify([Buffer.from(longOnes(echo)).toString('base64')]),
  ],
  XML: ['application/xml', (echo) => `<a><b>${each(plain(echo), (code) => `&#${code};`)}</b></a>`],
  'XML with CDATA': ['text/xml', (echo) => `<a b="1"><![CDATA[<p>${plain(echo)}</p>]]></a>`],
  text: ['text/plain', plain],
  'a picture': [
    'image/png',
    (echo) => Buffer.concat([Buffer.from([0x89, 0x50, 0, 0xff]), Buffer.from(longOnes(echo))]),
  ],
  'a content type': [`application/x; key="${KEY}"`, () => Buffer.from([1, 0, 2, 255])],
  'a result code': [
    'application/json',
    () => JSON.stringify({ header: { resultCode: `BAD ${KEY}`, resultMsg: KEY } }),
  ],
  'a large answer': [
    'application/json',
    (echo) =>
      JSON.stringify({ rows: Array(60_000).fill('a row of text'), ...echo, p: plain(echo) }),
  ],
};

/** HTML pages are never successful responses of a tool. */
const PAGES: typeof ECHOES = {
  'a page': [
    'text/html',
    (echo) =>
      `<html><p title="${echo.url}">Nothing at ${plain(echo)}<!-- ${plain(echo)} --></html>`,
  ],
  'a page cut where the key stands': [
    'text/html',
    () => `<html>${'-'.repeat(1985)} ${KEY} ${KEY}</html>`,
  ],
};

describe('an upstream that repeats secrets', () => {
  let gateway: TestGateway;
  let stream: SseClient;
  let log = '';
  let n = 0;
  beforeAll(async () => {
    const destination = new Writable({
      write: (chunk, _encoding, done) => {
        log += String(chunk);
        done();
      },
    });
    const known = new Map(
      Object.entries(SECRETS).map(([name, value]) => [name, new Secret(value)]),
    );
    gateway = await startTestGateway({
      presets: { echo: PRESET },
      secrets: (name) => known.get(name),
      logger: pino({ level: 'trace' }, destination),
    });
    stream = await openSse(gateway.url, gateway.key);
  });
  afterAll(async () => {
    stream.close();
    await gateway.close();
  });

  function repeat(
    [type, write]: readonly [string, (echo: Echo) => string | Buffer],
    send: (response: ServerResponse, body: string | Buffer) => unknown,
  ): void {
    gateway.upstream.answer(({ url, headers }, response) => {
      response.setHeader('content-type', type);
      send(response, write({ url, authorization: headers.authorization ?? '' }));
    });
  }

  test.each(Object.entries(ECHOES))(
    `is not repeated by a successful response, fresh or cached: %s ${verifies('contract.redacted-answers')}`,
    async (_, echo) => {
      repeat(echo, (response, body) => response.end(body));
      const args = { n: ++n };
      const fresh = await gateway.call('fixture_echo', args);
      const kept = await gateway.call('fixture_echo', args);
      expect(JSON.stringify(fresh.body.result.data)).toContain('REDACTED');
      expect(kept.body.result.data).toEqual(fresh.body.result.data);
      if (!fresh.body.result.publicData) expect(kept.body.result.cacheStatus).toBe('HIT');
      expect(marksIn(JSON.stringify([fresh.body, kept.body]))).toEqual([]);
    },
  );

  test.each(Object.entries({ ...ECHOES, ...PAGES }))(
    'is not repeated by a failed response: %s',
    async (_, echo) => {
      repeat(echo, (response, body) => response.writeHead(500).end(body));
      const { body } = await gateway.call('fixture_echo', { n: ++n });
      expect(body.result.upstream.status).toBe(500);
      expect(JSON.stringify(body.result.data)).toContain('REDACTED');
      expect(marksIn(JSON.stringify(body))).toEqual([]);
    },
  );

  test('is not repeated by a compressed response', async () => {
    const echo = ['application/json', (request: Echo) => JSON.stringify(request)] as const;
    repeat(echo, (response, body) =>
      response.setHeader('content-encoding', 'gzip').end(gzipSync(body)),
    );
    const { body } = await gateway.call('fixture_echo', { n: ++n });
    expect(body.result.data.url).toContain('serviceKey=REDACTED&pin=REDACTED');
    expect(marksIn(JSON.stringify(body))).toEqual([]);
  });

  test('is not repeated by MCP, records, events and the log', async () => {
    repeat(['application/json', (echo) => JSON.stringify(echo)], (response, body) =>
      response.end(body),
    );
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const initialize = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    };
    await gateway.fetch('/mcp', {
      method: 'POST',
      headers,
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: initialize }),
    });
    const response = await gateway.fetch('/mcp', {
      method: 'POST',
      headers: { ...headers, 'mcp-protocol-version': '2025-06-18' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 2,
        method: 'tools/call',
        params: { name: 'fixture_echo', arguments: { n: ++n } },
      }),
    });
    const text = await response.text();
    expect(text).toContain('cacheStatus');
    expect(text).toContain('REDACTED');
    await until(() => stream.events.length > n);
    const records = await gateway.json('/api/v1/audit?limit=500');
    expect(records.body.records?.length ?? JSON.stringify(records.body).length).toBeGreaterThan(n);
    for (const seen of [text, JSON.stringify(records.body), JSON.stringify(stream.events), log]) {
      expect(marksIn(seen)).toEqual([]);
    }
  });

  test('has its short secrets named at startup', () => {
    const warning = log.split('\n').find((line) => line.includes('fewer than 8 characters'));
    expect(JSON.parse(warning ?? '{}')).toMatchObject({ level: 40, secretName: 'ECHO_PIN' });
  });
});
