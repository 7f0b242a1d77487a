import type { ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Secret } from '../../src/platform/kernel/secret.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { verifies } from './requirements.ts';

const PRESET = `openapi: 3.1.0
info: { title: Keys, version: "1" }
servers: [{ url: "http://fixture.invalid" }]
components:
  securitySchemes:
    key: { type: apiKey, in: query, name: key, x-secret: QUERY_KEY, description: "Key of the bank; get it at https://bank.example." }
paths:
  /query:
    get:
      operationId: fixture_query_key
      description: Key in the query.
      security: [{ key: [] }]
      responses: { "200": { description: Anything. } }
  /{key}/json/{table}:
    get:
      operationId: fixture_path_key
      description: Key in the path.
      parameters:
        - { name: key, in: path, required: true, x-secret: PATH_KEY, description: "Key of the office; get it at https://office.example.", schema: { type: string } }
        - { name: table, in: path, required: true, description: Table., schema: { type: string, pattern: "^[A-Z]+$" } }
      responses: { "200": { description: Anything. } }
`;

const KEY = 'recognisable/path key';
const FORMS = [KEY, encodeURIComponent(KEY), 'recognisable'];

describe('a key in a path', () => {
  let gateway: TestGateway;
  let log = '';
  beforeAll(async () => {
    const stream = new Writable({
      write: (chunk, _encoding, done) => {
        log += String(chunk);
        done();
      },
    });
    gateway = await startTestGateway({
      presets: { keys: PRESET },
      secrets: () => new Secret(KEY),
      logger: pino({ level: 'trace' }, stream),
      // Long enough for every response, however slow the machine is.
      env: { UPSTREAM_TIMEOUT_MS: '3000' },
    });
  });
  afterAll(() => gateway.close());

  const everything = async (): Promise<string> => {
    const { body } = await gateway.json('/api/v1/audit?limit=500');
    return JSON.stringify(body) + log;
  };

  test(`is sent as one segment and shown as REDACTED: ${verifies('contract.redacted-url')}`, async () => {
    const { body } = await gateway.call('fixture_path_key', { table: 'RATES' });
    expect(gateway.upstream.seen.at(-1)?.url).toBe(`/${encodeURIComponent(KEY)}/json/RATES`);
    expect(body.result.upstream.url).toBe(`${gateway.upstream.url}/REDACTED/json/RATES`);
    const record = (await gateway.json(`/api/v1/audit/${body.result.auditId}`)).body;
    expect(record.upstream.url).toBe(`${gateway.upstream.url}/{key}/json/{table}`);
  });

  test.each([
    ['JSON', 'application/json', (url: string) => JSON.stringify({ error: { path: url } })],
    ['a page', 'text/html', (url: string) => `<html>Nothing at ${decodeURIComponent(url)}.</html>`],
    ['XML', 'application/xml', (url: string) => `<error><path>${url}</path></error>`],
  ])('is not repeated by a refusal that quotes the address as %s', async (_, type, quote) => {
    gateway.upstream.answer(({ url }, response) => {
      response.writeHead(404, { 'content-type': type }).end(quote(url));
    });
    const { body } = await gateway.call('fixture_path_key', { table: 'LOST' });
    expect(body.result.upstream.status).toBe(404);
    const text = JSON.stringify(body.result.data);
    expect(text).toContain('/REDACTED/json/LOST');
    expect(text).not.toContain('recognisable');
  });

  test('stays hidden in every failure', async () => {
    const failures: ((response: ServerResponse) => unknown)[] = [
      (response) => response.writeHead(500).end('{}'),
      (response) => response.setHeader('content-type', 'text/html').end('<html>'),
      (response) => response.destroy(),
      (response) => response.writeHead(302, { location: '/elsewhere' }).end(),
      () => 'nothing',
    ];
    const responses: unknown[] = [];
    for (const [index, fail] of failures.entries()) {
      gateway.upstream.answer((_request, response) => void fail(response));
      const table = 'ABCDE'[index];
      responses.push((await gateway.call('fixture_path_key', { table })).body);
    }
    responses.push((await gateway.call('fixture_path_key', { table: 'not one' })).body);
    expect(responses.filter((response) => (response as { error?: unknown }).error)).not.toEqual([]);
    const text = JSON.stringify(responses) + (await everything());
    expect(text).toContain('/REDACTED/json/A');
    expect(log).toContain('fixture_path_key');
    for (const form of FORMS) expect(text).not.toContain(form);
  });
});
