import { Type } from 'typebox';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { createRateLimiter } from '../../access/limits/rate-limiter.ts';
import type { Person } from '../../access/people/person.ts';
import type { ResponseStream } from '../../events/event-stream.ts';
import { Cancellation } from '../../platform/kernel/cancellation.ts';
import type { Route, RouteRequest, RouteResponse, RouteStream } from '../route.ts';
import { AdminEvents, type EventSink, MAX_WAITING_BYTES } from './admin-events.ts';
import { AdminFile } from './admin-file.ts';
import { AdminRedirect } from './admin-redirect.ts';
import {
  type AdminAccess,
  type AdminRoutes,
  personRoute,
  publicRoute,
  tenantRoute,
} from './admin-route.ts';
import { authorise } from './authorise.ts';
import { assertOwnOrigin, createAdminDialect } from './dialect.ts';

const VIEWER: Person = {
  id: 'person_viewer',
  email: 'viewer@example.com',
  name: 'Viewer',
  isOperator: false,
  memberships: [{ tenantId: 'ten_1', tenantSlug: 'own', tenantName: 'Own', role: 'viewer' }],
};

let isMember = true;
afterEach(() => {
  isMember = true;
});

function open(table: AdminRoutes, limitPerMinute = 0): Route {
  const [route] = createAdminDialect(
    {
      identify: async (cookie) =>
        isMember && cookie === 'session=1'
          ? { person: VIEWER, sessionId: 's', cookies: ['session=1; Max-Age=9'] }
          : undefined,
      findTenant: async () => undefined,
      rateLimiter: createRateLimiter({ limitPerMinute }),
      ownOrigins: ['https://gateway.example'],
    },
    table,
  );
  if (!route) throw new Error('The table is empty.');
  return route;
}

/** Sends a request through admission and the handler, as the server does. */
async function ask(route: Route, given: Partial<RouteRequest> = {}) {
  const request = {
    headers: { cookie: 'session=1', origin: 'https://gateway.example' },
    params: {},
    query: {},
    body: null,
    clientIp: '192.0.2.1',
    cancellation: () => new Cancellation(),
    ...given,
  } as RouteRequest;
  const admitted = await route.admit?.(request);
  return route.handle({ ...request, admitted });
}

it('answers with JSON that nobody stores, and prolongs the session', async () => {
  const route = open({
    'GET /tenants/:tenant/things/:id': tenantRoute('viewer', {
      input: { id: Type.String() },
      handle: ({ tenant, person, role }, { id }) => ({ tenant: tenant.slug, id, role, person }),
    }),
  });
  expect([route.path, route.access, route.operation]).toEqual([
    '/admin/api/tenants/:tenant/things/:id',
    'public',
    null,
  ]);
  const response = (await ask(route, { params: { tenant: 'own', id: 'a' } })) as RouteResponse;
  expect(response.headers).toEqual({
    'cache-control': 'no-store',
    'set-cookie': ['session=1; Max-Age=9'],
  });
  expect(JSON.parse(String(response.body))).toEqual({
    tenant: 'own',
    id: 'a',
    role: 'viewer',
    person: VIEWER,
  });
});

it('refuses before it reads a body', async () => {
  const handled: unknown[] = [];
  const route = open({
    'POST /tenants/:tenant/things': tenantRoute('admin', {
      input: {},
      handle: () => void handled.push(1),
    }),
  });
  const unread = new Proxy(Buffer.from('{}'), {
    get: () => {
      throw new Error('The body was read.');
    },
  });
  for (const [headers, code] of [
    [{ origin: 'https://gateway.example' }, 'unauthenticated'],
    [{ cookie: 'session=1', origin: 'http://localhost:3000' }, 'forbidden'],
    [{ cookie: 'session=1' }, 'forbidden'],
    [{ cookie: 'session=1', origin: 'https://gateway.example' }, 'forbidden'],
  ] as const) {
    const asked = ask(route, { headers, params: { tenant: 'own' }, body: unread });
    await expect(asked).rejects.toMatchObject({ code });
  }
  await expect(ask(route, { params: { tenant: 'other' } })).rejects.toMatchObject({
    code: 'not_found',
  });
  expect(handled).toEqual([]);
  expect(route.bodies).toEqual({
    'application/json': { maxBytes: 65_536, schema: { type: 'object' } },
  });
});

it('limits the requests of a person and of an address', async () => {
  const route = open({ 'GET /home': publicRoute({ input: {}, handle: () => ({}) }) }, 2);
  const nobody = { headers: {}, clientIp: '2001:db8::1' };
  const neighbour = { headers: {}, clientIp: '2001:db8::2' };
  await ask(route);
  await ask(route);
  await expect(ask(route)).rejects.toMatchObject({
    code: 'rate_limited',
    details: { retryAfterSeconds: expect.any(Number) },
  });
  await ask(route, nobody);
  await ask(route, neighbour);
  await expect(ask(route, nobody)).rejects.toMatchObject({ code: 'rate_limited' });
});

it('charges a protective request to the address of the person', async () => {
  const handle = () => ({});
  const route = open({ 'DELETE /me/x': personRoute({ isProtective: true, input: {}, handle }) }, 1);
  await ask(route, { clientIp: '192.0.2.1' });
  await ask(route, { clientIp: '192.0.2.2' });
  const again = ask(route, { clientIp: '192.0.2.2' });
  await expect(again).rejects.toMatchObject({ code: 'rate_limited' });
});

it('limits refused requests, too', async () => {
  const route = open({ 'GET /me': personRoute({ input: {}, handle: () => ({}) }) }, 2);
  const guess = () => ask(route, { headers: { cookie: 'session=2' } });
  await expect(guess()).rejects.toMatchObject({ code: 'unauthenticated' });
  await expect(guess()).rejects.toMatchObject({ code: 'unauthenticated' });
  await expect(guess()).rejects.toMatchObject({ code: 'rate_limited' });
});

it('answers without a value with 204, and leads elsewhere with 302', async () => {
  const nothing = open({
    'DELETE /session': personRoute({
      input: {},
      handle: ({ setCookies }) => setCookies(['session=; Max-Age=0']),
    }),
  });
  expect(await ask(nothing)).toMatchObject({
    status: 204,
    headers: { 'set-cookie': ['session=1; Max-Age=9', 'session=; Max-Age=0'] },
    body: null,
  });
  const away = open({
    'GET /away': publicRoute({ input: {}, handle: () => new AdminRedirect('/admin') }),
  });
  expect(await ask(away)).toMatchObject({ status: 302, headers: { location: '/admin' } });
});

/** A client that reads nothing until told to. */
class FakeResponse implements ResponseStream {
  destroyed = false;
  writableEnded = false;
  writableLength = 0;
  text = '';
  readonly head: unknown[] = [];
  readonly waiting: (() => void)[] = [];
  readonly #closed: (() => void)[] = [];

  writeHead(...head: unknown[]) {
    this.head.push(...head);
  }
  write(piece: string | Buffer, whenSent?: () => void) {
    this.text += String(piece);
    if (whenSent) this.waiting.push(whenSent);
  }
  cork() {}
  uncork() {}
  end() {
    this.writableEnded = true;
    this.close();
  }
  destroy() {
    this.destroyed = true;
    this.close();
  }
  once(_event: 'close', listener: () => void) {
    this.#closed.push(listener);
  }
  close() {
    for (const listener of this.#closed.splice(0)) listener();
  }
}

const streamOf = (response: unknown): RouteStream => response as RouteStream;

it('sends a file as fast as its reader takes it, and stops when the reader leaves', async () => {
  let made = 0;
  async function* chunks() {
    try {
      for (; made < 3; made++) yield Buffer.from(`${made}`);
    } finally {
      made += 100;
    }
  }
  const route = open({
    'GET /export': personRoute({
      input: {},
      handle: () =>
        new AdminFile({ contentType: 'text/csv', fileName: 'a"b.csv', chunks: chunks() }),
    }),
  });
  const response = new FakeResponse();
  streamOf(await ask(route)).stream(response);
  await expect.poll(() => response.text).toBe('0');
  expect(response.head).toMatchObject([
    200,
    { 'content-disposition': 'attachment; filename="a_b.csv"' },
  ]);
  response.waiting.pop()?.();
  await expect.poll(() => response.text).toBe('01');
  response.destroy();
  await expect.poll(() => made).toBeGreaterThan(100);
});

it('breaks the connection when a file fails half-way', async () => {
  async function* chunks() {
    yield Buffer.from('half');
    throw new Error('away');
  }
  const route = open({
    'GET /export': personRoute({
      input: {},
      handle: () => new AdminFile({ contentType: 'text/csv', fileName: 'a', chunks: chunks() }),
    }),
  });
  const response = new FakeResponse();
  streamOf(await ask(route)).stream(response);
  await expect.poll(() => response.waiting.length).toBe(1);
  response.waiting.pop()?.();
  await expect.poll(() => response.destroyed).toBe(true);
  expect(response.writableEnded).toBe(false);
});

it('sends events until the reader is slow, leaves, or may no longer read', async () => {
  let sink: EventSink | undefined;
  let stopped = 0;
  const route = open({
    'GET /tenants/:tenant/live': tenantRoute('viewer', {
      input: {},
      handle: () =>
        new AdminEvents((opened) => {
          sink = opened;
          return () => void stopped++;
        }),
    }),
  });
  const response = new FakeResponse();
  onTestFinished(() => response.close());
  streamOf(await ask(route, { params: { tenant: 'own' } })).stream(response);
  expect(sink?.send('call', { tool: 'a\nb' })).toBe(true);
  expect(response.text).toBe('retry: 3000\n: keepalive\n\nevent: call\ndata: {"tool":"a\\nb"}\n\n');
  response.writableLength = MAX_WAITING_BYTES + 1;
  expect(sink?.send('call', {})).toBe(false);
  response.writableLength = 0;
  isMember = false;
  await expect.poll(() => response.writableEnded).toBe(true);
  expect(response.text).toMatch(/event: end\ndata: \{\}\n\n$/);
  expect(stopped).toBe(1);
  expect(sink?.send('call', {})).toBe(false);
});

const tenant = (slug: string) => ({ id: `ten_${slug}`, slug, name: slug, createdAtMs: 0 });
const member = (slug: string, role: 'admin' | 'viewer') => ({
  tenantId: `ten_${slug}`,
  tenantSlug: slug,
  tenantName: slug,
  role,
});
const person = (name: string, rest: Partial<Person>): Person => ({
  id: `person_${name}`,
  email: `${name}@example.com`,
  name,
  isOperator: false,
  memberships: [],
  ...rest,
});
const PEOPLE: Readonly<Record<string, Person>> = {
  operator: person('operator', { isOperator: true, memberships: [member('own', 'viewer')] }),
  admin: person('admin', { memberships: [member('own', 'admin')] }),
  viewer: person('viewer', { memberships: [member('own', 'viewer')] }),
  stranger: person('stranger', { memberships: [member('other', 'admin')] }),
};
const deps = {
  identify: async (cookie: unknown) => {
    const found = PEOPLE[String(cookie)];
    return found && { person: found, sessionId: 'one' };
  },
  findTenant: async (slug: string) => (['own', 'other'].includes(slug) ? tenant(slug) : undefined),
};
const outcome = (access: AdminAccess, who: string, tenantSlug = 'own') =>
  authorise(deps, access, { cookie: who, tenantSlug }).then(
    ({ role }) => role ?? 'admitted',
    ({ code }) => code,
  );

it.each<[AdminAccess, Readonly<Record<string, string>>]>([
  ['public', { nobody: 'admitted', viewer: 'admitted' }],
  ['person', { nobody: 'unauthenticated', stranger: 'admitted' }],
  [
    'viewer',
    {
      nobody: 'unauthenticated',
      stranger: 'not_found',
      viewer: 'viewer',
      admin: 'admin',
      operator: 'admin',
    },
  ],
  [
    'admin',
    {
      nobody: 'unauthenticated',
      stranger: 'not_found',
      viewer: 'forbidden',
      admin: 'admin',
      operator: 'admin',
    },
  ],
  ['operator', { nobody: 'unauthenticated', admin: 'forbidden', operator: 'admin' }],
])('a route for %s', async (access, expected) => {
  for (const [who, result] of Object.entries(expected)) {
    expect(await outcome(access, who), who).toBe(result);
  }
});

it('lets an operator into every tenant that exists', async () => {
  expect(await outcome('admin', 'operator', 'other')).toBe('admin');
  expect(await outcome('viewer', 'operator', 'none')).toBe('not_found');
  expect(await outcome('operator', 'operator', 'none')).toBe('not_found');
});

const READ = { isWrite: false, allowsCrossSite: false };
const WRITE = { isWrite: true, allowsCrossSite: false };
const OWN = ['https://gateway.example'];

it.each([
  ['a read without signs', READ, {}, OWN],
  ['a read that a person typed', READ, { 'sec-fetch-site': 'none' }, OWN],
  ['a read of the page', READ, { 'sec-fetch-site': 'same-origin' }, OWN],
  ['a write of the page', WRITE, { origin: OWN[0], 'sec-fetch-site': 'same-origin' }, OWN],
  ['a write where browsers send no Sec-Fetch-Site', WRITE, { origin: OWN[0] }, OWN],
  ['a write to the host without settings', WRITE, { origin: 'http://a:1', host: 'a:1' }, []],
  ['a write through a proxy with TLS', WRITE, { origin: 'https://a', host: 'a' }, []],
  [
    'a way back from an identity provider',
    { isWrite: false, allowsCrossSite: true },
    { 'sec-fetch-site': 'cross-site' },
    OWN,
  ],
])('admits %s', (_name, rule, headers, own) => {
  expect(() => assertOwnOrigin(headers, rule, own)).not.toThrow();
});

it.each([
  ['a write without an origin', WRITE, {}, OWN],
  ['a write that a person typed', WRITE, { origin: OWN[0], 'sec-fetch-site': 'none' }, OWN],
  ['a write of another site', WRITE, { origin: 'https://other.example' }, OWN],
  ['a write of the same site', WRITE, { origin: OWN[0], 'sec-fetch-site': 'same-site' }, OWN],
  ['a write of null', WRITE, { origin: 'null' }, OWN],
  ['another port of this machine', WRITE, { origin: 'http://a:2', host: 'a:1' }, []],
  ['the host where settings name another', WRITE, { origin: 'https://b', host: 'b' }, OWN],
  ['a read by another origin', READ, { origin: 'http://localhost:3000' }, OWN],
  ['a read by another site', READ, { 'sec-fetch-site': 'cross-site' }, OWN],
])('refuses %s', (_name, rule, headers, own) => {
  expect(() => assertOwnOrigin(headers, rule, own)).toThrow('Only pages of the dashboard');
});
