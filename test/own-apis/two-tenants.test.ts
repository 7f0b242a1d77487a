import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  GATEWAY_BACKENDS,
  type JsonResponse,
  startTestGateway,
  type TestGateway,
} from '../support/gateway.ts';
import { addressIn, hasBody, MANAGED } from '../support/managed-operations.ts';
import { openSse, type SseClient } from '../support/sse-client.ts';
import { until } from '../support/until.ts';
import { registerApi, sendJson } from './register-api.ts';

const ENV = {
  ALLOW_PRIVATE_UPSTREAMS: 'true',
  ENCRYPTION_KEY: Buffer.alloc(32, 'k').toString('base64'),
};

/** What one tenant has: everything carries the word of the tenant. */
interface Owned {
  readonly word: string;
  readonly key: string;
  readonly stream: SseClient;
  readonly jobId: string;
  readonly registrationId: string;
  readonly proposalId: string;
  readonly toolId: string;
  readonly auditId: string;
}

type Values = Pick<Owned, 'jobId' | 'registrationId' | 'proposalId' | 'toolId' | 'auditId'>;

interface Attempt {
  readonly path: (of: Values) => string;
  readonly body?: (of: Values) => unknown;
  /** What a request for something of the other tenant gets; 200 for lists, which then have only what is one's own. */
  readonly status: number | readonly number[];
}

const at = (path: string, status: Attempt['status'], body?: unknown): Attempt => ({
  path: () => path,
  status,
  ...(body === undefined ? {} : { body: () => body }),
});

const rpc = (method: string, params = {}) => ({ jsonrpc: '2.0', id: 1, method, params });

/** Management needs a key with a scope, which neither tenant has here (test/contract/management.contract.test.ts). */
const MANAGEMENT = Object.fromEntries(
  MANAGED.map(({ method, path }) => {
    const body = hasBody(method) ? {} : undefined;
    return [`${method} ${path}`, [at(addressIn(path, 'alpha'), 403, body)]];
  }),
);

/** Every address that takes a key, with a request for what the other tenant has. */
const ATTEMPTS: Readonly<Record<string, readonly Attempt[]>> = {
  ...MANAGEMENT,
  'POST /api/v1/register/proposals': [at('/api/v1/register/proposals', 400, {})],
  'GET /api/v1/register/proposals/:id': [
    { path: ({ proposalId }) => `/api/v1/register/proposals/${proposalId}`, status: 404 },
  ],
  'POST /api/v1/register/proposals/:id/test': [
    {
      path: ({ proposalId }) => `/api/v1/register/proposals/${proposalId}/test`,
      body: () => ({ operation: 'GET /things' }),
      status: 404,
    },
  ],
  'GET /api/v1/provider-keys': [at('/api/v1/provider-keys', 200)],
  'GET /api/v1/provider-keys/:name': [at('/api/v1/provider-keys/ALPHA_KEY', 404)],
  'PUT /api/v1/provider-keys/:name': [at('/api/v1/provider-keys/ALPHA_KEY', 404, { value: 'x' })],
  'DELETE /api/v1/provider-keys/:name': [at('/api/v1/provider-keys/ALPHA_KEY', 404)],
  'POST /mcp': [
    at('/mcp', 200, rpc('tools/list')),
    at('/mcp', 200, rpc('tools/list', { query: 'echo twin', limit: 50 })),
    at('/mcp?category=own-alpha', 400, rpc('tools/list')),
    at('/mcp', 200, rpc('initialize', { protocolVersion: '2025-06-18', capabilities: {} })),
    {
      path: () => '/mcp',
      status: 200,
      body: ({ toolId }) => rpc('tools/call', { name: toolId, arguments: {} }),
    },
  ],
  'GET /api/v1/tools': [
    at('/api/v1/tools', 200),
    at('/api/v1/tools?q=echo', 200),
    at('/api/v1/tools?category=own-alpha', 400),
  ],
  'GET /api/v1/tools/:toolId': [
    { path: ({ toolId }) => `/api/v1/tools/${encodeURIComponent(toolId)}`, status: 404 },
  ],
  'DELETE /api/v1/tools/:toolId': [
    { path: ({ toolId }) => `/api/v1/tools/${encodeURIComponent(toolId)}`, status: 404 },
  ],
  'GET /api/v1/results/:file': [at(`/api/v1/results/${'0'.repeat(32)}.csv`, 404)],
  'GET /api/v1/audit': [at('/api/v1/audit', 200), at('/api/v1/audit?limit=100', 200)],
  'GET /api/v1/audit/:auditId': [
    { path: ({ auditId }) => `/api/v1/audit/${auditId}`, status: 404 },
  ],
  'POST /api/v1/register': [
    at('/api/v1/register', 202, { name: 'Other', spec_raw: 'openapi: 3.1.0', dry_run: true }),
  ],
  'GET /api/v1/register/:id/status': [
    { path: ({ jobId }) => `/api/v1/register/${jobId}/status`, status: 404 },
  ],
  'GET /api/v1/registrations': [at('/api/v1/registrations', 200)],
  'GET /api/v1/registrations/:id': [
    { path: ({ registrationId }) => `/api/v1/registrations/${registrationId}`, status: 404 },
  ],
  'PATCH /api/v1/registrations/:id': [
    {
      path: ({ registrationId }) => `/api/v1/registrations/${registrationId}`,
      body: () => ({ name: 'Taken over' }),
      status: 404,
    },
  ],
  'POST /api/v1/registrations/:id/refresh': [
    {
      path: ({ registrationId }) => `/api/v1/registrations/${registrationId}/refresh`,
      body: () => ({ spec_raw: 'openapi: 3.1.0' }),
      status: 404,
    },
  ],
  'DELETE /api/v1/registrations/:id': [
    { path: ({ registrationId }) => `/api/v1/registrations/${registrationId}`, status: 404 },
  ],
  'GET /health/detailed': [at('/health/detailed', 200)],
  // A stream that never ends is opened by the test itself.
  'GET /mcp/sse': [],
};

describe.each(GATEWAY_BACKENDS)('two tenants with the same API ($name)', (backend) => {
  let gateway: TestGateway;
  let alpha: Owned;
  let beta: Owned;
  beforeAll(async () => {
    gateway = await startTestGateway({ backend, env: ENV });
    alpha = await own('alpha');
    beta = await own('beta');
  });
  afterAll(async () => {
    alpha.stream.close();
    beta.stream.close();
    await gateway.close();
  });

  async function own(word: string): Promise<Owned> {
    const { key } = await gateway.createKey(word);
    const stream = await openSse(gateway.url, key);
    gateway.upstream.answer(({ headers }, response) => {
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ from: headers['x-of'] }));
    });
    const { job, registration } = await registerApi(gateway, key, {
      name: 'Twin',
      category: `own-${word}`,
      description: `Of ${word}.`,
      spec_raw: twin(gateway.upstream.url, word),
      auth: { type: 'api_key', in: 'header', key_name: 'x-of', token: `key-of-${word}` },
    });
    const proposal = await sendJson(gateway, 'POST', '/api/v1/register/proposals', key, {
      spec_raw: twin(gateway.upstream.url, word),
    });
    const { body } = await gateway.call('echo', { note: `note-of-${word}` }, key);
    const [toolId] = job.toolIds;
    return {
      word,
      key,
      stream,
      jobId: job.jobId,
      registrationId: registration.id,
      proposalId: proposal.body.id,
      toolId,
      auditId: body.result.auditId,
    };
  }

  const attempt = (
    { key }: Owned,
    method: string,
    { path, body }: Attempt,
    of: Values,
  ): Promise<JsonResponse> =>
    body === undefined
      ? gateway.json(path(of), { method, key })
      : sendJson(gateway, method, path(of), key, body(of));

  test('are attempted at every address that takes a key', async () => {
    const { paths } = (await gateway.json('/openapi.json')).body;
    const addresses = Object.entries<Record<string, { security?: unknown[] }>>(paths).flatMap(
      ([path, operations]) =>
        Object.entries(operations)
          .filter(([, { security }]) => security?.length !== 0)
          .map(([method]) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
    );
    expect(addresses.toSorted()).toEqual(Object.keys(ATTEMPTS).toSorted());
  });

  test.each(Object.entries(ATTEMPTS))(
    'see, change and reach nothing of one another: %s',
    async (address, attempts) => {
      const [method = ''] = address.split(' ');
      for (const each of attempts) {
        const response = await attempt(beta, method, each, alpha);
        expect([address, response.status]).toEqual([address, each.status]);
        // An error may repeat what the request itself said.
        const text = JSON.stringify(response.body)
          .replaceAll(alpha.toolId, '')
          .replaceAll(String.raw`\"own-alpha\"`, '');
        expect(text).not.toContain('alpha');
      }
    },
  );

  test('see no public list, document or metric of one another', async () => {
    for (const path of [
      '/registry/servers',
      '/registry/tools',
      '/registry/tools?q=echo',
      '/openapi.json',
    ]) {
      expect(JSON.stringify((await gateway.json(path, { key: null })).body)).not.toContain('alpha');
    }
  });

  test('call their own API under the same name, with their own credential', async () => {
    for (const { word, key } of [alpha, beta]) {
      const { body } = await gateway.call('echo', { note: 'same' }, key);
      // The gateway hides the credential that the upstream repeats.
      expect(JSON.stringify(body.result.data)).toContain('REDACTED');
      expect(gateway.upstream.seen.at(-1)?.headers['x-of']).toBe(`key-of-${word}`);
    }
  });

  test('hear nothing of one another', async () => {
    await gateway.call('echo', { note: 'alpha calls' }, alpha.key);
    await gateway.call('echo', { note: 'beta calls' }, beta.key);
    await until(() => beta.stream.events.filter(({ name }) => name === 'message').length > 0);
    expect(JSON.stringify(beta.stream.events)).not.toContain('alpha');
    expect(beta.stream.events.filter(({ name }) => name === 'byoapi').length).toBeGreaterThan(0);
  });

  test('keep what they have when the other deletes', async () => {
    const path = `/api/v1/registrations/${alpha.registrationId}`;
    expect((await gateway.json(path, { key: alpha.key, method: 'DELETE' })).status).toBe(200);
    expect((await gateway.call('echo', {}, alpha.key)).body.error.code).toBe(-32602);
    expect((await gateway.call('echo', {}, beta.key)).body.result.tool).toBe('echo');
    const { body } = await gateway.json(`/api/v1/registrations/${beta.registrationId}`, {
      key: beta.key,
    });
    expect(body.toolIds).toEqual([beta.toolId]);
  });
});

const twin = (url: string, word: string): string => `openapi: 3.1.0
info: { title: Twin of ${word}, version: '1' }
servers: [{ url: '${url}/${word}' }]
paths:
  /echo:
    get:
      operationId: echo
      description: The echo of ${word}.
      x-cache-ttl: 0
      parameters:
        - { name: note, in: query, description: A note., schema: { type: string } }
      responses: { '200': { description: What it was sent. } }
`;
