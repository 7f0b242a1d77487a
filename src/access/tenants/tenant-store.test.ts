import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  describeStores,
  openTestDatabase,
  type TestPlace,
} from '../../../test/support/databases.ts';
import type { Database } from '../../platform/database/database.ts';
import { assertSlug, createTenantStore, type TenantStore } from './tenant-store.ts';

describeStores('the tenant store', (backend) => {
  let place: TestPlace;
  let database: Database;
  let store: TenantStore;

  beforeEach(async () => {
    place = await backend.makePlace();
    database = await openTestDatabase(place);
    store = createTenantStore({ db: database.db, clock: { now: () => 1_764_000_000_123 } });
  });
  afterEach(async () => {
    await database.close();
    await place.remove();
  });

  it('stores a created tenant', async () => {
    const tenant = await store.ensure('my-team');
    expect(tenant).toEqual({
      id: expect.stringMatching(/^ten_[0-9A-Z]{26}$/),
      slug: 'my-team',
      name: 'my-team',
      createdAtMs: 1_764_000_000_123,
    });
    expect(await store.findBySlug('my-team')).toEqual(tenant);
    expect(await store.findBySlug('other')).toBeUndefined();
  });

  it('lists tenants by slug', async () => {
    await store.ensure('b');
    await store.ensure('a');
    expect((await store.list()).map(({ slug, name }) => [slug, name])).toEqual([
      ['a', 'a'],
      ['b', 'b'],
    ]);
  });

  it('creates one tenant when several callers ensure the same one at once', async () => {
    const tenants = await Promise.all(Array.from({ length: 5 }, () => store.ensure('default')));
    expect(new Set(tenants.map((tenant) => tenant.id)).size).toBe(1);
  });

  it('refuses a slug that is not valid in an address', async () => {
    await expect(store.ensure('My Team')).rejects.toMatchObject({ code: 'invalid_arguments' });
  });
});

it('accepts exactly the slugs made of words joined by single hyphens, up to 40 characters', () => {
  const words = fc.array(fc.stringMatching(/^[a-z0-9]{1,6}$/), { minLength: 1, maxLength: 5 });
  fc.assert(fc.property(words, (parts) => assertSlug(parts.join('-'))));
  for (const bad of ['', '-a', 'a-', 'a--b', 'A', 'a_b', 'ä', 'a'.repeat(41), 'a\n']) {
    expect(() => assertSlug(bad)).toThrow('slug');
  }
});
