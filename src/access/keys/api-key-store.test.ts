import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listAdminEvents } from '../../../test/support/admin-events.ts';
import {
  describeStores,
  openTestDatabase,
  type TestPlace,
} from '../../../test/support/databases.ts';
import type { Database } from '../../platform/database/database.ts';
import { newApiKeyText } from '../../platform/kernel/ids.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import { createTenantStore } from '../tenants/tenant-store.ts';
import { digestOf, type KeyQuery } from './api-key-record.ts';
import { type ApiKeyStore, createApiKeyStore, MAX_KEYS, MAX_OVERLAP_MS } from './api-key-store.ts';
import {
  MAX_ALLOWED_TOOL,
  MAX_ALLOWED_TOOLS,
  MAX_DAILY_LIMIT,
  MAX_KEY_DESCRIPTION,
  MAX_NAME,
  MAX_RATE_LIMIT,
} from './key-change.ts';

const NOW = 1_764_000_000_123;
const DAY_MS = 86_400_000;

describeStores('the API key store', (backend) => {
  let place: TestPlace;
  let database: Database;
  let store: ApiKeyStore;
  let tenantId: string;

  beforeEach(async () => {
    place = await backend.makePlace();
    database = await openTestDatabase(place);
    const deps = { db: database.db, clock: { now: () => NOW } };
    store = createApiKeyStore(deps);
    tenantId = (await createTenantStore(deps).ensure('default')).id;
  });
  afterEach(async () => {
    await database.close();
    await place.remove();
  });

  it('returns the text once and stores only its digest', async () => {
    const { record, text } = await store.create({ tenantId, name: 'laptop' });
    expect(text.reveal()).toMatch(/^tg_live_[0-9A-Za-z]{43}$/);
    expect(record).toEqual({
      id: expect.stringMatching(/^key_/),
      tenantId,
      tenantSlug: 'default',
      name: 'laptop',
      prefix: text.reveal().slice(0, 12),
      description: null,
      owner: null,
      allowedTools: null,
      mode: null,
      scope: null,
      rateLimitPerMinute: null,
      dailyLimit: null,
      operatorRateLimit: null,
      createdAtMs: NOW,
      expiresAtMs: null,
      revokedAtMs: null,
      rotatedFrom: null,
      rotatedTo: null,
      revision: 1,
      kind: null,
      clientId: null,
      clientName: null,
    });
    const stored = await database.db.selectFrom('api_keys').selectAll().execute();
    expect(JSON.stringify(stored)).not.toContain(text.reveal());
    expect(await store.findByDigest(digestOf(text.reveal()))).toEqual(record);
  });

  it('stores expiry and allowed tools', async () => {
    const { record } = await store.create({
      tenantId,
      name: 'narrow',
      expiresAtMs: NOW + 1,
      allowedTools: ['a', 'b'],
    });
    expect(record).toMatchObject({ expiresAtMs: NOW + 1, allowedTools: ['a', 'b'] });
  });

  it('creates a chosen key once, even when several callers do so at once', async () => {
    const text = new Secret(newApiKeyText());
    const made = await Promise.all(
      Array.from({ length: 4 }, () => store.ensure({ tenantId, name: 'bootstrap' }, text)),
    );
    expect(new Set(made.map((record) => record.id)).size).toBe(1);
    expect(await store.list({ limit: 10 })).toHaveLength(1);
  });

  it('refuses a chosen key with the wrong form without repeating it', async () => {
    const wrong = store.ensure({ tenantId, name: 'x' }, new Secret('hunter2'));
    await expect(wrong).rejects.toMatchObject({ code: 'invalid_arguments' });
    await expect(wrong).rejects.not.toThrow('hunter2');
  });

  it('lists the keys of one tenant or of all tenants', async () => {
    const other = await createTenantStore({ db: database.db, clock: { now: () => NOW } }).ensure(
      'other',
    );
    await store.create({ tenantId, name: 'first' });
    await store.create({ tenantId: other.id, name: 'second' });
    expect((await store.list({ limit: 10 })).map((key) => key.name)).toEqual(['second', 'first']);
    expect(
      (await store.list({ tenantId: other.id, limit: 10 })).map((key) => key.tenantSlug),
    ).toEqual(['other']);
  });

  it('increases the version with a revocation, and lists what has changed since', async () => {
    const { record, text } = await store.create({ tenantId, name: 'old' });
    const before = await store.version();
    expect(await store.revoke({ id: record.id })).toEqual({
      ...record,
      revokedAtMs: NOW,
      revision: 2,
    });
    expect(await store.version()).toBeGreaterThan(before);
    expect(await store.changedSince(before)).toEqual([
      {
        id: record.id,
        digest: digestOf(text.reveal()),
        isGrant: false,
        change: 'revoked',
        allowedTools: null,
        expiresAtMs: null,
      },
    ]);
    expect(await store.changedSince(await store.version())).toEqual([]);
  });

  it('changes the allowed tools of a key that is not revoked', async () => {
    const { record, text } = await store.create({ tenantId, name: 'old' });
    const before = await store.version();
    expect(
      (await store.change({ id: record.id }, { allowedTools: ['kma_*'] })).allowedTools,
    ).toEqual(['kma_*']);
    expect(await store.changedSince(before)).toEqual([
      {
        id: record.id,
        digest: digestOf(text.reveal()),
        isGrant: false,
        change: 'changed',
        allowedTools: ['kma_*'],
        expiresAtMs: null,
      },
    ]);
    expect((await store.change({ id: record.id }, { allowedTools: null })).allowedTools).toBeNull();
    await store.revoke({ id: record.id });
    const late = store.change({ id: record.id }, { allowedTools: ['tour_*'] });
    await expect(late).rejects.toMatchObject({ code: 'conflict' });
    await expect(store.change({ id: 'key_unknown' }, { allowedTools: null })).rejects.toMatchObject(
      { code: 'not_found' },
    );
  });

  it('increases the version once with a new key', async () => {
    const text = new Secret(newApiKeyText());
    const before = await store.version();
    const { id } = await store.ensure({ tenantId, name: 'new' }, text);
    expect(await store.changedSince(before)).toEqual([
      {
        id,
        digest: digestOf(text.reveal()),
        isGrant: false,
        change: 'created',
        allowedTools: null,
        expiresAtMs: null,
      },
    ]);
    await store.ensure({ tenantId, name: 'new' }, text);
    expect(await store.version()).toBe(before + 1);
  });

  it('records what was changed and by whom, but never the key', async () => {
    const cli = createApiKeyStore({ db: database.db, clock: { now: () => NOW }, actor: 'cli' });
    const { record, text } = await cli.create({ tenantId, name: 'ci', allowedTools: ['a'] });
    await cli.change({ id: record.id }, { allowedTools: ['b'] });
    await cli.revoke({ id: record.id });
    await cli.revoke({ id: record.id });
    const late = cli.change({ id: record.id }, { allowedTools: null });
    await expect(late).rejects.toMatchObject({ code: 'conflict' });
    await expect(cli.revoke({ id: 'key_unknown' })).rejects.toMatchObject({ code: 'not_found' });
    const events = await listAdminEvents(database.db, { tenantId, limit: 10 });
    expect(events.map(({ action, details }) => [action, details])).toEqual([
      ['key.revoked', { name: 'ci', allowedTools: ['b'], expiresAtMs: null }],
      ['key.changed', { allowedTools: ['b'] }],
      ['key.created', { name: 'ci', allowedTools: ['a'], expiresAtMs: null }],
      ['tenant.created', { slug: 'default', name: 'default' }],
    ]);
    const timestamp = new Date(NOW).toISOString();
    expect(events[0]).toMatchObject({ actor: 'cli', subjectId: record.id, timestamp });
    expect(JSON.stringify(events)).not.toContain(text.reveal().slice(0, 12));
  });

  it('creates no key if its trail entry cannot be written', async () => {
    await database.db.schema.dropTable('admin_events').execute();
    await expect(store.create({ tenantId, name: 'x' })).rejects.toThrow();
    expect(await store.list({ limit: 10 })).toEqual([]);
  });

  it('revokes several keys at once without losing one', async () => {
    const keys = await Promise.all(
      ['a', 'b', 'c', 'd'].map((name) => store.create({ tenantId, name })),
    );
    await Promise.all(keys.map(({ record }) => store.revoke({ id: record.id })));
    expect((await store.changedSince(4)).map(({ change }) => change)).toEqual(
      new Array(4).fill('revoked'),
    );
    expect(await store.version()).toBe(8);
  });

  it('changes what is chosen and keeps the rest, and counts the revisions', async () => {
    const { record } = await store.create({ tenantId, name: 'a', dailyLimit: 5, description: 'x' });
    const change = { name: ' b ', rateLimitPerMinute: 7, expiresAtMs: NOW + 1, description: '' };
    expect(await store.change({ id: record.id, tenantId, revision: 1 }, change)).toEqual({
      ...record,
      name: 'b',
      description: null,
      rateLimitPerMinute: 7,
      expiresAtMs: NOW + 1,
      revision: 2,
    });
  });

  it('refuses a change or revocation that is based on an earlier revision', async () => {
    const { record } = await store.create({ tenantId, name: 'a' });
    const target = { id: record.id, revision: record.revision };
    await store.change(target, { name: 'b' });
    const refusal = { code: 'conflict' };
    await expect(store.change(target, { name: 'c' })).rejects.toMatchObject(refusal);
    await expect(store.rotate(target)).rejects.toMatchObject(refusal);
    await expect(store.revoke(target)).rejects.toMatchObject(refusal);
    expect(await store.find(target)).toMatchObject({ name: 'b', revokedAtMs: null });
  });

  it("does not find another tenant's key", async () => {
    const { record } = await store.create({ tenantId, name: 'a' });
    const target = { id: record.id, tenantId: 'ten_other' };
    const refusal = { code: 'not_found' };
    await expect(store.find(target)).rejects.toMatchObject(refusal);
    await expect(store.change(target, { name: 'c' })).rejects.toMatchObject(refusal);
    await expect(store.rotate(target)).rejects.toMatchObject(refusal);
    await expect(store.revoke(target)).rejects.toMatchObject(refusal);
    expect(await store.find({ id: record.id })).toEqual(record);
  });

  it('replaces a key by one with the same rights and lifetime, which works beside it for the overlap', async () => {
    const { record } = await store.create({
      tenantId,
      name: 'ci',
      description: 'build',
      allowedTools: ['category:weather'],
      rateLimitPerMinute: 5,
      dailyLimit: 9,
      expiresAtMs: NOW + 90 * DAY_MS,
    });
    const before = await store.version();
    const late = createApiKeyStore({
      db: database.db,
      clock: { now: () => NOW + DAY_MS },
      actor: 'person_1',
    });
    const { record: next, text, replaced } = await late.rotate({ id: record.id, tenantId }, 3600e3);
    expect(next).toEqual({
      ...record,
      id: expect.not.stringContaining(record.id),
      owner: 'person_1',
      prefix: text.reveal().slice(0, 12),
      createdAtMs: NOW + DAY_MS,
      expiresAtMs: NOW + 91 * DAY_MS,
      rotatedFrom: record.id,
    });
    expect(replaced).toEqual({
      ...record,
      expiresAtMs: NOW + DAY_MS + 3600e3,
      rotatedTo: next.id,
      revision: 2,
    });
    const changes = await store.changedSince(before);
    expect(new Map(changes.map(({ id, change }) => [id, change]))).toEqual(
      new Map([
        [record.id, 'changed'],
        [next.id, 'created'],
      ]),
    );
    await expect(late.rotate({ id: record.id })).rejects.toMatchObject({ code: 'conflict' });
    const [rotated, created] = await listAdminEvents(database.db, { tenantId, limit: 2 });
    expect(rotated).toMatchObject({
      action: 'key.rotated',
      subjectId: record.id,
      actor: 'person_1',
    });
    expect(created).toMatchObject({ action: 'key.created', details: { rotatedFrom: record.id } });
  });

  it('revokes a replaced key at once without an overlap, and never extends its expiry', async () => {
    const [now, soon] = await Promise.all([
      store.create({ tenantId, name: 'now' }),
      store.create({ tenantId, name: 'soon', expiresAtMs: NOW + 5 }),
    ]);
    expect((await store.rotate({ id: now.record.id }, 0)).replaced.revokedAtMs).toBe(NOW);
    expect((await store.rotate({ id: soon.record.id })).replaced.expiresAtMs).toBe(NOW + 5);
    for (const overlapMs of [-1, 0.5, MAX_OVERLAP_MS + 1]) {
      const refused = store.rotate({ id: soon.record.id }, overlapMs);
      await expect(refused).rejects.toMatchObject({ code: 'invalid_arguments' });
    }
  });

  it.each([
    ['an empty name', { name: ' ' }],
    ['a name that is too long', { name: 'x'.repeat(MAX_NAME + 1) }],
    ['a description that is too long', { description: 'x'.repeat(MAX_KEY_DESCRIPTION + 1) }],
    ['too many tools', { allowedTools: new Array(MAX_ALLOWED_TOOLS + 1).fill('a') }],
    ['a tool that is too long', { allowedTools: ['x'.repeat(MAX_ALLOWED_TOOL + 1)] }],
    ['an empty tool', { allowedTools: [''] }],
    ['a rate limit of 0', { rateLimitPerMinute: 0 }],
    ['a rate limit that is too high', { rateLimitPerMinute: MAX_RATE_LIMIT + 1 }],
    ['half a request per day', { dailyLimit: 0.5 }],
    ['a daily limit that is too high', { dailyLimit: MAX_DAILY_LIMIT + 1 }],
  ])('refuses %s', async (_, part) => {
    const refusal = { code: 'invalid_arguments' };
    await expect(store.create({ tenantId, name: 'a', ...part })).rejects.toMatchObject(refusal);
    const { record } = await store.create({ tenantId, name: 'a' });
    await expect(store.change({ id: record.id }, part)).rejects.toMatchObject(refusal);
    expect(await store.find({ id: record.id })).toEqual(record);
  });

  it('finds keys by name, description, prefix and state, page by page', async () => {
    const names = ['100%', '날씨 앱', 'Build_Bot', 'old'];
    const made = [];
    for (const name of names) made.push(await store.create({ tenantId, name }));
    const [percent, , bot, old] = made.map(({ record }) => record);
    await store.change({ id: bot?.id ?? '' }, { description: 'Nightly', expiresAtMs: NOW });
    await store.revoke({ id: old?.id ?? '' });
    const found = async (query: Partial<KeyQuery>) =>
      (await store.list({ tenantId, limit: 10, ...query })).map(({ name }) => name);
    expect(await found({ text: '0%' })).toEqual(['100%']);
    expect(await found({ text: '%' })).toEqual(['100%']);
    expect(await found({ text: 'd_b' })).toEqual(['Build_Bot']);
    expect(await found({ text: 'dxb' })).toEqual([]);
    expect(await found({ text: 'nightLY' })).toEqual(['Build_Bot']);
    expect(await found({ text: '날씨' })).toEqual(['날씨 앱']);
    expect(await found({ text: percent?.prefix ?? '' })).toContain('100%');
    expect(await found({ text: "'" })).toEqual([]);
    expect(await found({ state: 'revoked' })).toEqual(['old']);
    expect(await found({ state: 'expired' })).toEqual(['Build_Bot']);
    expect(await found({ state: 'active' })).toEqual(['날씨 앱', '100%']);
    expect(await found({ limit: 2 })).toEqual(['old', 'Build_Bot']);
    expect(await found({ limit: 2, after: bot?.id })).toEqual(['날씨 앱', '100%']);
    expect(await found({ tenantId: 'ten_other' })).toEqual([]);
  });

  it('keeps the time of the first revocation', async () => {
    const { record } = await store.create({ tenantId, name: 'old' });
    await store.revoke({ id: record.id });
    const late = createApiKeyStore({ db: database.db, clock: { now: () => NOW + 5 } });
    expect((await late.revoke({ id: record.id })).revokedAtMs).toBe(NOW);
  });

  it('refuses an unknown id as not found', async () => {
    await expect(store.revoke({ id: 'key_none' })).rejects.toMatchObject({ code: 'not_found' });
    expect(await store.findByDigest(digestOf('anything'))).toBeUndefined();
  });
});

describe('room for keys', () => {
  const NOW = 1_764_000_000_000;
  const DAY_MS = 86_400_000;

  describeStores('a tenant with as many keys as it may have', (backend) => {
    let place: TestPlace;
    let database: Database;
    let store: ApiKeyStore;
    let tenantId: string;

    beforeEach(async () => {
      place = await backend.makePlace();
      database = await openTestDatabase(place);
      const deps = { db: database.db, clock: { now: () => NOW }, actor: 'cli' };
      store = createApiKeyStore(deps);
      tenantId = (await createTenantStore(deps).ensure('default')).id;
      await fill(MAX_KEYS);
    });
    afterEach(async () => {
      await database.close();
      await place.remove();
    });

    async function fill(keys: number): Promise<void> {
      const rows = Array.from({ length: keys }, (_, n) => ({
        id: `key_${String(n).padStart(6, '0')}`,
        tenant_id: tenantId,
        name: `key ${n}`,
        prefix: 'tg_live_xxxx',
        hash: `hash ${n}`,
        owner: n === 0 ? 'start' : 'cli',
        created_at_ms: NOW - 10 * DAY_MS,
      }));
      for (let from = 0; from < keys; from += 1000) {
        await database.db
          .insertInto('api_keys')
          .values(rows.slice(from, from + 1000))
          .execute();
      }
    }
    const end = (n: number, columns: { revoked_at_ms?: number; expires_at_ms?: number }) =>
      database.db.updateTable('api_keys').set(columns).where('name', '=', `key ${n}`).execute();

    it('gets no further one while all of them may be in use', async () => {
      await end(1, { revoked_at_ms: NOW - DAY_MS });
      const refusal = { code: 'unprocessable' };
      await expect(store.create({ tenantId, name: 'one more' })).rejects.toMatchObject(refusal);
      await expect(store.rotate({ id: 'key_000002' })).rejects.toMatchObject(refusal);
      const other = await createTenantStore({ db: database.db, clock: { now: () => NOW } }).ensure(
        'other',
      );
      expect((await store.create({ tenantId: other.id, name: 'first' })).record.name).toBe('first');
    });

    it('gets one in place of the key that ended first, but never of one that the operator chose', async () => {
      await end(0, { revoked_at_ms: NOW - 9 * DAY_MS });
      await end(5, { expires_at_ms: NOW - 3 * DAY_MS });
      await end(7, { revoked_at_ms: NOW - 2 * DAY_MS });
      await store.create({ tenantId, name: 'one more' });
      await expect(store.find({ id: 'key_000005' })).rejects.toMatchObject({ code: 'not_found' });
      await store.create({ tenantId, name: 'another' });
      await expect(store.find({ id: 'key_000007' })).rejects.toMatchObject({ code: 'not_found' });
      await expect(store.create({ tenantId, name: 'third' })).rejects.toMatchObject({
        code: 'unprocessable',
      });
      expect((await store.find({ id: 'key_000000' })).owner).toBe('start');
    });

    it('has its keys listed quickly, in pages', async () => {
      const page = await store.list({ tenantId, limit: 100_000 });
      expect(page).toHaveLength(500);
      expect(page[0]?.id).toBe('key_009999');
    });
  });
});
