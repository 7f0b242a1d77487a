import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  describeStores,
  openTestDatabase,
  type TestPlace,
} from '../../../test/support/databases.ts';
import type { Database } from '../../platform/database/database.ts';
import { createTenantStore } from '../tenants/tenant-store.ts';
import { type ApiKeyStore, createApiKeyStore } from './api-key-store.ts';
import { MAX_KEYS } from './make-room.ts';

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
