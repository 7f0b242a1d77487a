import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { registerApi } from './register-api.ts';

const SECRET = 'a-token-that-nobody-may-see';

const described = (url: string): string => `
openapi: 3.0.3
info: { title: Things, version: '1' }
servers: [{ url: '${url}' }]
paths:
  /things:
    get: { operationId: list_things, x-cache-ttl: 60, responses: {} }
    post:
      operationId: add_thing
      requestBody:
        content: { application/json: { schema: { type: object, properties: { a: { type: string } } } } }
      responses: {}
    put: { operationId: put_rows, x-items: /rows, responses: {} }
`;

interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

describe('the response of an own API', () => {
  let gateway: TestGateway;
  let key: string;
  beforeAll(async () => {
    gateway = await startTestGateway({
      env: {
        ALLOW_PRIVATE_UPSTREAMS: 'true',
        ENCRYPTION_KEY: Buffer.alloc(32, 'k').toString('base64'),
      },
    });
    ({ key } = await gateway.createKey('things'));
    await registerApi(gateway, key, {
      name: 'Things',
      spec_raw: described(gateway.upstream.url),
      auth: { type: 'api_key', in: 'query', key_name: 'key', token: SECRET },
    });
  });
  afterAll(() => gateway.close());

  const answer = ({ status = 200, headers = {}, body = '' }: Answer): void =>
    gateway.upstream.answer((_request, response) => {
      response.writeHead(status, headers).end(body);
    });

  const read = async (name: string) => (await gateway.call(name, {}, key)).body;

  const readAsModel = async (name: string) => {
    const params = { name, arguments: {} };
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    };
    const init = { method: 'POST', headers, body: JSON.stringify(message), key };
    return (await gateway.fetch('/mcp?result=text', init)).text();
  };

  test('shows where the upstream put what a call created, and hides the credential there', async () => {
    answer({
      status: 201,
      headers: { location: `/things/4711?key=${SECRET}`, 'operation-location': '/jobs/1' },
    });
    const { result } = await read('add_thing');
    const { url } = gateway.upstream;
    expect(result).toMatchObject({ outcome: 'ok', data: null });
    expect(result.upstream).toMatchObject({
      status: 201,
      location: `${url}/things/4711?key=REDACTED`,
      operation: `${url}/jobs/1`,
    });
    const text = await readAsModel('add_thing');
    expect(text).toContain(`Note: The response names this address (Location): ${url}/things/4711`);
    expect(text).not.toContain(SECRET);
  });

  test('keeps the address of the next page in the cache', async () => {
    answer({ headers: { link: '<?page=2>; rel="next"' }, body: '[1]' });
    const next = `${gateway.upstream.url}/things?page=2`;
    for (const cacheStatus of ['MISS', 'HIT']) {
      const { result } = await read('list_things');
      expect(result).toMatchObject({ cacheStatus, data: [1], upstream: { next } });
    }
    expect(await readAsModel('list_things')).toContain(`Note: The next page is at ${next}`);
  });

  test('is text after a write, whatever it claims to be', async () => {
    const type = { 'content-type': 'application/json' };
    answer({ status: 201, headers: type, body: '<html>Created' });
    expect((await read('add_thing')).result).toMatchObject({
      outcome: 'ok',
      data: { text: '<html>Created' },
    });
  });

  test('that cannot be decompressed after a write is no reason to send it again', async () => {
    answer({ headers: { 'content-encoding': 'gzip' }, body: '{"a":1}' });
    const { error } = await read('add_thing');
    expect(error.data).toMatchObject({ reason: 'bad_payload', retryable: false });
    expect(error.message).toContain('may have been carried out');
    expect(await readAsModel('add_thing')).not.toContain('may work later');
  });

  test('that lacks the promised rows after a write is a failure with its text', async () => {
    answer({ body: '<html>Done' });
    const { result } = await read('put_rows');
    expect(result).toMatchObject({ outcome: 'failed', data: { text: '<html>Done' } });
  });
});
