import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  ADMIN,
  ADMIN_ENV,
  type AdminClient,
  inviteAndJoin,
  signIn,
} from '../support/admin-client.ts';
import {
  GATEWAY_BACKENDS,
  type JsonResponse,
  startTestGateway,
  type TestGateway,
} from '../support/gateway.ts';
import { addressIn, hasBody, MANAGED } from '../support/managed-operations.ts';
import { until } from '../support/until.ts';
import { verifies } from './requirements.ts';

type Managed = (typeof MANAGED)[number];

const ENV = {
  ...ADMIN_ENV,
  ALLOW_PRIVATE_UPSTREAMS: 'true',
  ENCRYPTION_KEY: Buffer.alloc(32, 'k').toString('base64'),
};

const CREDENTIAL = 'credential-of-an-api';

const PROVIDER_KEY = 'PUBLIC_DATA_SERVICE_KEY';

const API = {
  category: 'own',
  description: 'Of a tenant.',
  auth: { type: 'api_key', in: 'header', key_name: 'x-key', token: CREDENTIAL },
};

const describeApi = (url: string): string => `openapi: 3.1.0
info: { title: An API, version: '1' }
servers: [{ url: '${url}' }]
paths:
  /echo:
    get: { operationId: echo, description: An echo., responses: { '200': { description: Text. } } }
`;

const tokenIn = (link: string): string =>
  new URL(link, 'http://gateway.example').searchParams.get('token') ?? '';

describe.each(GATEWAY_BACKENDS)('every operation of management ($name)', (backend) => {
  let gateway: TestGateway;
  let boss: AdminClient;
  let admin: string;
  let operator: string;
  /** The bodies that /openapi.json shows, by operation. */
  let examples: ReadonlyMap<string, object>;
  /** What no response may repeat. */
  const secrets: string[] = [ADMIN.password, CREDENTIAL];

  beforeAll(async () => {
    gateway = await startTestGateway({ backend, env: ENV });
    boss = await signIn(gateway);
    admin = (await gateway.createKey('home', { scope: 'admin' })).key;
    operator = (await gateway.createKey('home', { scope: 'operator' })).key;
    await gateway.createKey('foreign');
    examples = await examplesOf(gateway);
  });
  afterAll(() => gateway.close());

  const send = (key: string, method: string, address: string, body?: object) =>
    gateway.json(address, {
      method,
      key,
      ...(body && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    });

  const newMember = async (tenant: string): Promise<string> => {
    const email = `${randomUUID()}@example.com`;
    const person = await inviteAndJoin(gateway, boss, { tenant, email, role: 'viewer' });
    return (await person.ask('GET /me')).body.person.id;
  };

  /** Registers an API, and resolves with its ended job. */
  async function register(tenant: string, members: object = {}) {
    const name = `API ${randomUUID().slice(0, 8)}`;
    const api = { ...API, name, spec_raw: describeApi(gateway.upstream.url), ...members };
    const { id } = (await boss.ask(`POST /tenants/${tenant}/registrations`, api)).body;
    let job: JsonResponse['body'];
    await until(async () => {
      job = (await boss.ask(`GET /tenants/${tenant}/registration-jobs/${id}`)).body;
      return job.progress === 1;
    });
    return job;
  }

  /** Makes something new in a tenant, by the part of the path that comes before its id; returns the id. */
  const makers: Readonly<Record<string, (tenant: string) => Promise<string>>> = {
    keys: async (tenant) => (await gateway.createKey(tenant)).id,
    members: newMember,
    people: newMember,
    invitations: async (tenant) => {
      const invitation = { email: `${randomUUID()}@example.com`, role: 'viewer' };
      const { body } = await boss.ask(`POST /tenants/${tenant}/invitations`, invitation);
      secrets.push(tokenIn(body.link));
      return body.invitation.id;
    },
    audit: async (tenant) =>
      (await gateway.call('fixture_uncached', {}, (await gateway.createKey(tenant)).key)).body
        .result.auditId,
    'provider-keys': async (tenant) => {
      const value = `value-${randomUUID()}`;
      secrets.push(value);
      await boss.ask(`PUT /tenants/${tenant}/provider-keys/${PROVIDER_KEY}`, { value });
      return (await boss.ask(`POST /provider-keys/${PROVIDER_KEY}`, { value })).body.name;
    },
    'oauth-clients': async () => {
      const client = { name: 'A host', redirects: ['https://host.example/callback'] };
      const { body } = await boss.ask('POST /oauth-clients', client);
      secrets.push(body.secret);
      return body.id;
    },
    registrations: async (tenant) => (await register(tenant)).registrationId,
    'registration-jobs': async (tenant) => (await register(tenant)).jobId,
  };

  /** The address of an operation in the tenant `home`, on something new of the tenant `owner`. */
  async function addressOn(owner: string, { path }: Managed): Promise<string> {
    const [parameter = '', kind = ''] = /(?<=([\w-]+)\/):(?!tenant\b)\w+/.exec(path) ?? [];
    const id = await makers[kind]?.(owner);
    return addressIn(id === undefined ? path : path.replace(parameter, id), 'home');
  }

  test.each(MANAGED)(`${verifies('management.scope')}: $operation`, async (managed) => {
    const { method, path, scope } = managed;
    const ask = async (key: string, tenant = 'home') => {
      const body = hasBody(method) ? {} : undefined;
      const response = await send(key, method, addressIn(path, tenant), body);
      return { status: response.status, body: response.body };
    };
    expect(await ask(gateway.key)).toMatchObject({ status: 403 });
    const isForOperators = scope === 'operator';
    if (isForOperators) expect(await ask(admin)).toMatchObject({ status: 403 });
    if (!path.includes('/:tenant')) return;
    const unknown = await ask(isForOperators ? operator : admin, 'nowhere');
    expect(unknown.status).toBe(404);
    if (!isForOperators) expect(await ask(admin, 'foreign')).toEqual(unknown);
  });

  // A tool is no thing of a tenant: its statistics are those of the tenant's own calls. Nor is the name of a provider key.
  test.each(MANAGED.filter(({ path }) => /:tenant\/(?!statistics|provider-keys).*:/.test(path)))(
    `${verifies('management.scope')}: $operation, on what another tenant has`,
    async (managed) => {
      const address = await addressOn('foreign', managed);
      expect(address).not.toContain('/none');
      const { status } = await send(
        operator,
        managed.method,
        address,
        examples.get(managed.operation),
      );
      expect(status).toBe(404);
    },
  );

  test.each(MANAGED.filter(({ method }) => method !== 'GET'))(
    `${verifies('management.trail')}: $operation`,
    async (managed) => {
      const { method, operation, trail } = managed;
      const key = await gateway.createKey('home', { scope: 'operator' });
      const address = await addressOn('home', managed);
      const { status, body } = await send(key.key, method, address, examples.get(operation));
      expect([status, body]).toEqual([body ? 200 : 204, body]);
      const { value } = { value: undefined, ...examples.get(operation) };
      if (value !== undefined) expect(JSON.stringify(body)).not.toContain(value);
      const { text, password, secret, link } = body ?? {};
      secrets.push(...[text, password, secret, value, link && tokenIn(link)].filter(Boolean));
      const { entries } = (await boss.ask(`GET /trail?actor=${key.id}`)).body;
      const entry = { action: trail[0], actor: key.id };
      expect(entries).toContainEqual(expect.objectContaining(entry));
    },
  );

  test(verifies('management.trail'), async () => {
    expect(secrets.length).toBeGreaterThan(5);
    for (const managed of MANAGED.filter(({ method }) => method === 'GET')) {
      const { status, body } = await send(operator, 'GET', await addressOn('home', managed));
      expect([managed.operation, status]).toEqual([managed.operation, 200]);
      const text = JSON.stringify(body);
      expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
    }
    const trail = JSON.stringify((await boss.ask('GET /trail?limit=100')).body);
    expect(secrets.filter((secret) => trail.includes(secret))).toEqual([]);
  });
});

interface Described {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly requestBody?: {
    readonly content: {
      readonly 'application/json': {
        readonly examples?: { readonly example: { readonly value: object } };
      };
    };
  };
}

async function examplesOf(gateway: TestGateway): Promise<ReadonlyMap<string, object>> {
  const { paths } = (await gateway.json('/openapi.json', { key: null })).body;
  const operations = Object.values<Record<string, Described>>(paths).flatMap(Object.values);
  return new Map(
    operations
      .filter(({ tags }: Described) => tags[0] === 'Management')
      .flatMap(({ operationId, requestBody }: Described) => {
        const content = requestBody?.content['application/json'];
        return content ? [[operationId, content.examples?.example.value ?? {}]] : [];
      }),
  );
}
