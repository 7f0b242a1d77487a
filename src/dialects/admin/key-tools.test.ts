import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makePreset, makeTool } from '../../../test/support/catalog-entries.ts';
import {
  describeStores,
  openTestDatabase,
  type TestPlace,
} from '../../../test/support/databases.ts';
import { createApiKeyStore } from '../../access/keys/api-key-store.ts';
import { createKeyOperations } from '../../access/keys/operations.ts';
import { createRateLimiter } from '../../access/limits/rate-limiter.ts';
import type { MemberRole, Person } from '../../access/people/person.ts';
import { createTenantStore } from '../../access/tenants/tenant-store.ts';
import type { Database } from '../../platform/database/database.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { createCatalog } from '../../tools/catalog/catalog.ts';
import type { PresetServer } from '../../tools/model.ts';
import type { RouteRequest, RouteResponse } from '../route.ts';
import { createConnectRoutes } from './connect.ts';
import { createAdminDialect } from './dialect.ts';
import { createKeyToolRoutes, MAX_CHOICES } from './key-tools.ts';

const NOW = Date.UTC(2026, 10, 22);
const DAY_MS = 86_400_000;
const ORIGIN = 'https://gateway.example';

const PRESETS = [
  makePreset('weather/sky', makeTool('sky_now', 'Weather of now.'), makeTool('sky_later')),
  makePreset('economy/bank', makeTool('bank_rates')),
];

/** The operator is a member of the tenant, too. */
const personOf = (role: MemberRole | 'operator', tenantId: string): Person => ({
  id: `person_${role}`,
  email: `${role}@example.com`,
  name: role,
  isOperator: role === 'operator',
  memberships: [
    {
      tenantId,
      tenantSlug: 'own',
      tenantName: 'Own',
      role: role === 'viewer' ? 'viewer' : 'admin',
    },
  ],
});

describeStores('API keys in the dashboard', (backend) => {
  let place: TestPlace;
  let database: Database;
  let tenantId: string;
  let refreshed: number;
  let areFiguresAway: boolean;
  let presets: readonly PresetServer[];
  const clock = { now: () => NOW };

  beforeEach(async () => {
    refreshed = 0;
    areFiguresAway = false;
    presets = PRESETS;
    place = await backend.makePlace();
    database = await openTestDatabase(place);
    tenantId = (await createTenantStore({ db: database.db, clock }).ensure('own')).id;
  });
  afterEach(async () => {
    await database.close();
    await place.remove();
  });

  const openTable = () => ({
    ...createConnectRoutes({ baseUrl: undefined, canSignIn: false }),
    ...createKeyToolRoutes({
      catalog: createCatalog({ presets }),
      ready: () => undefined,
    }),
    ...createKeyOperations({
      keysOf: ({ id: actor, isOperator }) =>
        createApiKeyStore({ db: database.db, clock, actor, isOperator, rateLimitCap: 600 }),
      rateLimits: { keyPerMinute: 600, tenantPerMinute: 6000 },
      usage: {
        keyUsage: async () => {
          if (areFiguresAway) throw new GatewayError('overloaded');
          return [];
        },
      },
      ownerNames: async () => new Map([['person_admin', 'Kim Ada']]),
      clock,
      onChanged: async () => {
        refreshed++;
      },
    }),
  });

  /** Sends a request as a member of tenant `own`. */
  async function ask(
    role: MemberRole | 'operator',
    name: `${'GET' | 'POST' | 'PATCH' | 'DELETE'} /${string}`,
    input: Record<string, unknown> = {},
  ) {
    const person = personOf(role, tenantId);
    const routes = createAdminDialect(
      {
        identify: async () => ({ person, sessionId: 's' }),
        findTenant: async () => undefined,
        rateLimiter: createRateLimiter({ limitPerMinute: 0 }),
        ownOrigins: [ORIGIN],
      },
      openTable(),
    );
    const [method, path = ''] = name.split(' ');
    const pattern = (template: string) =>
      new RegExp(`^${template.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}$`);
    const route = routes
      .filter((each) => each.method === method)
      .find((each) => pattern(each.path).test(`/admin/api/tenants/own${path}`));
    if (!route) throw new Error(`There is no route ${name}.`);
    const params = pattern(route.path).exec(`/admin/api/tenants/own${path}`)?.groups ?? {};
    const isRead = method === 'GET' || method === 'DELETE';
    const request = {
      headers: { cookie: 'session=1', origin: ORIGIN },
      params: { ...params },
      query: isRead ? input : {},
      body: isRead ? null : Buffer.from(JSON.stringify(input)),
      clientIp: '192.0.2.1',
    } as unknown as RouteRequest;
    const admitted = await route.admit?.(request);
    const { body } = (await route.handle({ ...request, admitted })) as RouteResponse;
    return JSON.parse(String(body));
  }

  const create = (input: Record<string, unknown> = {}) =>
    ask('admin', 'POST /keys', { name: 'ci', ...input });

  it('shows the text of a new key also while figures cannot be read', async () => {
    areFiguresAway = true;
    const { key, text } = await create();
    expect([key.callsToday, text]).toEqual([0, expect.stringMatching(/^tg_live_/)]);
    const rotated = await ask('admin', `POST /keys/${key.id}/rotate`, {
      revision: key.revision,
      overlapHours: 0,
    });
    expect(rotated.text).toMatch(/^tg_live_/);
  });

  it('shows the text of a new key once, and the key to viewers from then on', async () => {
    const expiresAt = new Date(NOW + 90 * DAY_MS).toISOString();
    const { key, text } = await create({
      description: 'Nightly build',
      allowedTools: ['category:weather'],
      rateLimitPerMinute: 60,
      dailyLimit: 1000,
      expiresAt,
    });
    expect(text).toMatch(/^tg_live_[0-9A-Za-z]{43}$/);
    expect(key).toEqual({
      id: expect.stringMatching(/^key_/),
      tenant: 'own',
      name: 'ci',
      description: 'Nightly build',
      prefix: text.slice(0, 12),
      owner: { id: 'person_admin', name: 'Kim Ada' },
      allowedTools: ['category:weather'],
      mode: null,
      scope: null,
      rateLimitPerMinute: 60,
      effectiveRateLimitPerMinute: 60,
      dailyLimit: 1000,
      createdAt: new Date(NOW).toISOString(),
      expiresAt,
      revokedAt: null,
      rotatedFrom: null,
      rotatedTo: null,
      kind: 'api',
      client: null,
      revision: 1,
      state: 'active',
      lastUsedAt: null,
      callsToday: 0,
      failuresToday: 0,
      refusedToday: 0,
      concerns: ['never_used'],
    });
    expect(refreshed).toBe(1);
    expect(await ask('viewer', `GET /keys/${key.id}`)).toEqual(key);
    const listed = await ask('viewer', 'GET /keys');
    expect(listed).toEqual({ keys: [key], nextCursor: null });
    expect(JSON.stringify(listed)).not.toContain(text);
  });

  describe('the limit per minute', () => {
    const limitsOf = (key: Record<string, unknown>) => [
      key['rateLimitPerMinute'],
      key['effectiveRateLimitPerMinute'],
    ];
    const change = (role: 'admin' | 'operator', id: string, input: Record<string, unknown>) =>
      ask('viewer', `GET /keys/${id}`).then(({ revision }) =>
        ask(role, `PATCH /keys/${id}`, { revision, ...input }),
      );
    const REFUSED = {
      code: 'invalid_arguments',
      message: expect.stringMatching(/at most 600 .*operator/),
    };

    it("is capped for the tenant's admins, and not for operators", async () => {
      await expect(create({ rateLimitPerMinute: 601 })).rejects.toMatchObject(REFUSED);
      const { key } = await create({ rateLimitPerMinute: 600 });
      expect(limitsOf(key)).toEqual([600, 600]);
      const more = change('admin', key.id, { rateLimitPerMinute: 1_000_000 });
      await expect(more).rejects.toMatchObject(REFUSED);
      expect(limitsOf(await change('operator', key.id, { rateLimitPerMinute: 5000 }))).toEqual([
        5000, 5000,
      ]);
      const { key: given } = await ask('operator', 'POST /keys', {
        name: 'x',
        rateLimitPerMinute: 7000,
      });
      // The limit of the tenant bounds every key.
      expect(limitsOf(given)).toEqual([7000, 6000]);
      expect(limitsOf((await create()).key)).toEqual([null, 600]);
    });

    it('that an operator gave is kept by changes and rotations of an admin, who may lower it and raise it again', async () => {
      const { key } = await ask('operator', 'POST /keys', { name: 'x', rateLimitPerMinute: 5000 });
      const renamed = await change('admin', key.id, { name: 'y', rateLimitPerMinute: 5000 });
      expect(limitsOf(renamed)).toEqual([5000, 5000]);
      expect(limitsOf(await change('admin', key.id, { rateLimitPerMinute: 700 }))).toEqual([
        700, 700,
      ]);
      const more = change('admin', key.id, { rateLimitPerMinute: 5001 });
      await expect(more).rejects.toThrow('at most 5,000');
      expect(limitsOf(await change('admin', key.id, { rateLimitPerMinute: 5000 }))).toEqual([
        5000, 5000,
      ]);
      const { revision } = await ask('viewer', `GET /keys/${key.id}`);
      const rotated = await ask('admin', `POST /keys/${key.id}/rotate`, { revision });
      expect(limitsOf(rotated.key)).toEqual([5000, 5000]);
      await change('operator', rotated.key.id, { rateLimitPerMinute: null });
      const again = change('admin', rotated.key.id, { rateLimitPerMinute: 5000 });
      await expect(again).rejects.toMatchObject(REFUSED);
    });

    it('from before the cap stays stored and counts as the cap, until an operator gives it', async () => {
      const { key } = await create();
      await database.db
        .updateTable('api_keys')
        .set({ rate_limit_per_minute: 1_000_000 })
        .where('id', '=', key.id)
        .execute();
      expect(limitsOf(await ask('viewer', `GET /keys/${key.id}`))).toEqual([1_000_000, 600]);
      const same = { name: 'renamed', rateLimitPerMinute: 1_000_000 };
      expect(limitsOf(await change('admin', key.id, same))).toEqual([1_000_000, 600]);
      const less = change('admin', key.id, { rateLimitPerMinute: 999_999 });
      await expect(less).rejects.toMatchObject(REFUSED);
      const { revision } = await ask('viewer', `GET /keys/${key.id}`);
      const { key: rotated } = await ask('operator', `POST /keys/${key.id}/rotate`, { revision });
      expect(limitsOf(rotated)).toEqual([1_000_000, 600]);
      const given = await change('operator', rotated.id, { rateLimitPerMinute: 1_000_000 });
      expect(limitsOf(given)).toEqual([1_000_000, 6000]);
    });
  });

  it.each([
    ['an empty name', { name: ' ' }],
    ['a limit of 0', { dailyLimit: 0 }],
    ['a limit that is too high', { rateLimitPerMinute: 1_000_001 }],
    ['an expiry that is over', { expiresAt: new Date(NOW - 1).toISOString() }],
    ['a date that does not exist', { expiresAt: '2026-02-30T00:00:00Z' }],
    ['too many tools', { allowedTools: new Array(201).fill('a') }],
    ['another tenant', { tenantId: 'ten_2' }],
    ['its own text', { text: 'tg_live_x' }],
  ])('refuses a new key with %s', async (_, input) => {
    await expect(create(input)).rejects.toMatchObject({ code: 'invalid_arguments' });
    expect((await ask('admin', 'GET /keys')).keys).toEqual([]);
  });

  it('names a bounded number of tools', async () => {
    const many = Array.from({ length: MAX_CHOICES + 1 }, (_, n) => makeTool(`many_${n}`));
    presets = [makePreset('weather/many', ...many)];
    for (const asked of [
      ask('viewer', 'GET /key-tools').then(({ total, tools }) => [total, tools.length]),
      ask('viewer', 'POST /key-tools/preview', { allowedTools: null }).then(({ total, names }) => [
        total,
        names.length,
      ]),
    ]) {
      expect(await asked).toEqual([MAX_CHOICES + 1, MAX_CHOICES]);
    }
  });

  it('offers tools for a key, and says which ones a list selects', async () => {
    expect(await ask('viewer', 'GET /key-tools')).toEqual({
      total: 3,
      categories: [
        { name: 'economy', tools: 1, pattern: 'category:economy' },
        { name: 'weather', tools: 2, pattern: 'category:weather' },
      ],
      tools: [
        { name: 'bank_rates', category: 'economy', source: 'preset', pattern: 'bank_rates' },
        { name: 'sky_later', category: 'weather', source: 'preset', pattern: 'sky_later' },
        { name: 'sky_now', category: 'weather', source: 'preset', pattern: 'sky_now' },
      ],
    });
    const preview = async (allowedTools: readonly string[] | null) =>
      (await ask('viewer', 'POST /key-tools/preview', { allowedTools })).names;
    expect(await preview(null)).toHaveLength(3);
    expect(await preview([])).toEqual([]);
    expect(await preview(['category:weather'])).toEqual(['sky_later', 'sky_now']);
    expect(await preview(['bank_*', 'sky_now'])).toEqual(['bank_rates', 'sky_now']);
  });
});
