import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  describeStores,
  openTestDatabase,
  type TestPlace,
} from '../../../test/support/databases.ts';
import type { Database } from '../../platform/database/database.ts';
import { newApiKeyText } from '../../platform/kernel/ids.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import { createTenantStore } from '../tenants/tenant-store.ts';
import { listAdminEvents } from '../trail/admin-trail.ts';
import { type ApiKeyStore, createApiKeyStore } from './api-key-store.ts';
import { digestOf } from './key-text.ts';

const NOW = 1_764_000_000_123;

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

  it('gives the text once and keeps only its digest', async () => {
    const { record, text } = await store.create({ tenantId, name: 'laptop' });
    expect(text.reveal()).toMatch(/^tg_live_[0-9A-Za-z]{43}$/);
    expect(record).toEqual({
      id: expect.stringMatching(/^key_/),
      tenantId,
      tenantSlug: 'default',
      name: 'laptop',
      prefix: text.reveal().slice(0, 12),
      allowedTools: null,
      createdAtMs: NOW,
      expiresAtMs: null,
      revokedAtMs: null,
    });
    const stored = await database.db.selectFrom('api_keys').selectAll().execute();
    expect(JSON.stringify(stored)).not.toContain(text.reveal());
    expect(await store.findByDigest(digestOf(text.reveal()))).toEqual(record);
  });

  it('keeps expiry and allowed tools', async () => {
    const { record } = await store.create({
      tenantId,
      name: 'narrow',
      expiresAtMs: NOW + 1,
      allowedTools: ['a', 'b'],
    });
    expect(record).toMatchObject({ expiresAtMs: NOW + 1, allowedTools: ['a', 'b'] });
  });

  it('makes a chosen key once, also when several ask at once', async () => {
    const text = new Secret(newApiKeyText());
    const made = await Promise.all(
      Array.from({ length: 4 }, () => store.ensure({ tenantId, name: 'bootstrap' }, text)),
    );
    expect(new Set(made.map((record) => record.id)).size).toBe(1);
    expect(await store.list()).toHaveLength(1);
  });

  it('refuses a chosen key of the wrong form without repeating it', async () => {
    const wrong = store.ensure({ tenantId, name: 'x' }, new Secret('hunter2'));
    await expect(wrong).rejects.toMatchObject({ code: 'invalid_arguments' });
    await expect(wrong).rejects.not.toThrow('hunter2');
  });

  it('lists the keys of one tenant or of all', async () => {
    const other = await createTenantStore({ db: database.db, clock: { now: () => NOW } }).ensure(
      'other',
    );
    await store.create({ tenantId, name: 'first' });
    await store.create({ tenantId: other.id, name: 'second' });
    expect((await store.list()).map((key) => key.name)).toEqual(['first', 'second']);
    expect((await store.list(other.id)).map((key) => key.tenantSlug)).toEqual(['other']);
  });

  it('raises the version with a revocation and tells what was changed since', async () => {
    const { record, text } = await store.create({ tenantId, name: 'old' });
    const before = await store.version();
    expect(await store.revoke(record.id)).toEqual({ ...record, revokedAtMs: NOW });
    expect(await store.version()).toBeGreaterThan(before);
    expect(await store.changedSince(before)).toEqual([
      { id: record.id, digest: digestOf(text.reveal()), change: 'revoked', allowedTools: null },
    ]);
    expect(await store.changedSince(await store.version())).toEqual([]);
  });

  it('changes the allowed tools of a key that is not revoked', async () => {
    const { record, text } = await store.create({ tenantId, name: 'old' });
    const before = await store.version();
    expect((await store.allow(record.id, ['kma_*'])).allowedTools).toEqual(['kma_*']);
    expect(await store.changedSince(before)).toEqual([
      {
        id: record.id,
        digest: digestOf(text.reveal()),
        change: 'changed',
        allowedTools: ['kma_*'],
      },
    ]);
    expect((await store.allow(record.id, null)).allowedTools).toBeNull();
    await store.revoke(record.id);
    expect((await store.allow(record.id, ['tour_*'])).allowedTools).toBeNull();
    await expect(store.allow('key_unknown', null)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('raises the version with a new key, once', async () => {
    const text = new Secret(newApiKeyText());
    const before = await store.version();
    const { id } = await store.ensure({ tenantId, name: 'new' }, text);
    expect(await store.changedSince(before)).toEqual([
      { id, digest: digestOf(text.reveal()), change: 'created', allowedTools: null },
    ]);
    await store.ensure({ tenantId, name: 'new' }, text);
    expect(await store.version()).toBe(before + 1);
  });

  it('leaves a trail of what was changed, by whom, and never of the key', async () => {
    const cli = createApiKeyStore({ db: database.db, clock: { now: () => NOW }, actor: 'cli' });
    const { record, text } = await cli.create({ tenantId, name: 'ci', allowedTools: ['a'] });
    await cli.allow(record.id, ['b']);
    await cli.revoke(record.id);
    await cli.revoke(record.id);
    await cli.allow(record.id, null);
    await expect(cli.revoke('key_unknown')).rejects.toMatchObject({ code: 'not_found' });
    const events = await listAdminEvents(database.db, { tenantId, limit: 10 });
    expect(events.map(({ action, details }) => [action, details])).toEqual([
      ['key.revoked', { name: 'ci', allowedTools: ['b'], expiresAtMs: null }],
      ['key.changed', { allowedTools: ['b'] }],
      ['key.created', { name: 'ci', allowedTools: ['a'], expiresAtMs: null }],
      ['tenant.created', { slug: 'default', name: 'default' }],
    ]);
    expect(events[0]).toMatchObject({ actor: 'cli', subjectId: record.id, timestampMs: NOW });
    expect(JSON.stringify(events)).not.toContain(text.reveal().slice(0, 12));
  });

  it('makes no key whose trail cannot be written', async () => {
    await database.db.schema.dropTable('admin_events').execute();
    await expect(store.create({ tenantId, name: 'x' })).rejects.toThrow();
    expect(await store.list()).toEqual([]);
  });

  it('revokes several keys at once without losing one', async () => {
    const keys = await Promise.all(
      ['a', 'b', 'c', 'd'].map((name) => store.create({ tenantId, name })),
    );
    await Promise.all(keys.map(({ record }) => store.revoke(record.id)));
    expect((await store.changedSince(4)).map(({ change }) => change)).toEqual(
      new Array(4).fill('revoked'),
    );
    expect(await store.version()).toBe(8);
  });

  it('keeps the moment of the first revocation', async () => {
    const { record } = await store.create({ tenantId, name: 'old' });
    await store.revoke(record.id);
    const late = createApiKeyStore({ db: database.db, clock: { now: () => NOW + 5 } });
    expect((await late.revoke(record.id)).revokedAtMs).toBe(NOW);
  });

  it('says when there is no such key', async () => {
    await expect(store.revoke('key_none')).rejects.toMatchObject({ code: 'not_found' });
    expect(await store.findByDigest(digestOf('anything'))).toBeUndefined();
  });
});
