import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  describeStores,
  openTestDatabase,
  type TestPlace,
} from '../../../test/support/databases.ts';
import type { Database } from '../database/database.ts';
import { StartupError } from '../kernel/error.ts';
import { Secret } from '../kernel/secret.ts';
import { type EncryptionKey, newEncryptionKey, readEncryptionKey } from './cipher.ts';
import { checkVault, createSecretStore, type SecretStore } from './secret-store.ts';
import { createVault } from './vault.ts';

const newKey = (): EncryptionKey => readEncryptionKey(newEncryptionKey());
const TOKEN = { tenantId: 'ten_1', subjectId: 'reg_1', field: 'token' };

describeStores('the store of secrets', (backend) => {
  let place: TestPlace;
  let database: Database;
  const storeWith = (...keys: EncryptionKey[]): SecretStore => {
    const vault = createVault(() => keys);
    return createSecretStore({ db: database.db, vault, clock: { now: () => 1 } });
  };
  const textOf = async (store: SecretStore, owner = TOKEN) => (await store.get(owner))?.reveal();
  const rows = () => database.db.selectFrom('secrets').selectAll().execute();

  beforeEach(async () => {
    place = await backend.makePlace();
    database = await openTestDatabase(place);
  });
  afterEach(async () => {
    await database.close();
    await place.remove();
  });

  it('returns the secret that was stored last, to its owner alone', async () => {
    const store = storeWith(newKey());
    await store.put(TOKEN, new Secret('first'));
    await store.put(TOKEN, new Secret('second'));
    expect(await textOf(store)).toBe('second');
    expect(await textOf(store, { ...TOKEN, tenantId: 'ten_2' })).toBeUndefined();
    expect(await textOf(store, { ...TOKEN, field: 'password' })).toBeUndefined();
    expect(JSON.stringify(await rows())).not.toContain('second');
  });

  it('names the fields of a subject and deletes them together', async () => {
    const store = storeWith(newKey());
    await store.put({ ...TOKEN, field: 'username' }, new Secret('u'));
    await store.put({ ...TOKEN, field: 'password' }, new Secret('p'));
    await store.put({ ...TOKEN, subjectId: 'reg_2' }, new Secret('t'));
    expect(await store.fields('ten_1', 'reg_1')).toEqual(['password', 'username']);
    await store.delete('ten_2', 'reg_1');
    expect(await store.fields('ten_1', 'reg_1')).toHaveLength(2);
    await store.delete('ten_1', 'reg_1');
    expect(await store.fields('ten_1', 'reg_1')).toEqual([]);
    expect(await store.fields('ten_1', 'reg_2')).toEqual(['token']);
  });

  it('does not decrypt a value that was moved to another row', async () => {
    const store = storeWith(newKey());
    await store.put(TOKEN, new Secret('mine'));
    await database.db.updateTable('secrets').set({ tenant_id: 'ten_2' }).execute();
    await expect(store.get({ ...TOKEN, tenantId: 'ten_2' })).rejects.toMatchObject({
      code: 'missing_secret',
    });
  });

  it('refuses to store anything without a key, and says which setting is missing', async () => {
    await expect(storeWith().put(TOKEN, new Secret('x'))).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('ENCRYPTION_KEY'),
    });
    expect(await rows()).toEqual([]);
  });

  it('rotates every secret to the new key, after which the old one is not needed', async () => {
    const [oldKey, key] = [newKey(), newKey()];
    const before = storeWith(oldKey);
    const owners = Array.from({ length: 250 }, (_, n) => ({ ...TOKEN, subjectId: `reg_${n}` }));
    for (const owner of owners) await before.put(owner, new Secret(owner.subjectId));
    const after = storeWith(key, oldKey);
    expect(await after.rotate()).toBe(250);
    expect(await after.rotate()).toBe(0);
    const alone = storeWith(key);
    for (const owner of owners) expect(await textOf(alone, owner)).toBe(owner.subjectId);
    expect(new Set((await rows()).map(({ key_id }) => key_id))).toEqual(new Set([key.id]));
  });

  it('reads what was encrypted with a key that has been added since', async () => {
    const [oldKey, key] = [newKey(), newKey()];
    let keys = [oldKey];
    const vault = createVault(() => keys);
    const running = createSecretStore({ db: database.db, vault, clock: { now: () => 1 } });
    keys = [key, oldKey];
    await storeWith(key).put(TOKEN, new Secret('new'));
    expect(await textOf(running)).toBe('new');
    expect(vault.keyId).toBe(key.id);
  });

  describe('is checked at startup', () => {
    const warnings: string[] = [];
    const logger = { warn: (message: string) => void warnings.push(message) };
    const check = (...keys: EncryptionKey[]) =>
      checkVault(
        storeWith(...keys),
        createVault(() => keys),
        logger,
      );

    it('and accepts the key of the first start, rotated or not', async () => {
      const [oldKey, key] = [newKey(), newKey()];
      await check(oldKey);
      await check(oldKey);
      await check(key, oldKey);
      await storeWith(key, oldKey).rotate();
      await check(key);
    });

    it('and refuses any other key', async () => {
      await check(newKey());
      await expect(check(newKey())).rejects.toThrow(StartupError);
    });

    it('and warns of a missing key', async () => {
      await check();
      expect(warnings.at(-1)).toContain('ENCRYPTION_KEY is not set');
    });
  });
});
