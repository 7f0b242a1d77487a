import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { listAdminEvents } from '../../../test/support/admin-events.ts';
import {
  describeStores,
  openTestDatabase,
  type TestPlace,
} from '../../../test/support/databases.ts';
import { until } from '../../../test/support/until.ts';
import type { Database } from '../../platform/database/database.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import { systemClock } from '../../platform/kernel/time.ts';
import { newEncryptionKey, readEncryptionKey } from '../../platform/vault/cipher.ts';
import { createSecretStore } from '../../platform/vault/secret-store.ts';
import { createVault } from '../../platform/vault/vault.ts';
import { createProviderKeySource } from './provider-key-source.ts';
import {
  createProviderKeyStore,
  MAX_VALUE_LENGTH,
  OPERATOR,
  type ProviderKeyId,
} from './provider-key-store.ts';
import { openProviderKeys, type ProviderKeys } from './provider-keys.ts';

const NAMES = ['A_KEY', 'B_KEY', 'C_KEY'];
const VALUE = 'recognisable value 1';
const key = readEncryptionKey(newEncryptionKey());

describeStores('provider keys', (backend) => {
  let place: TestPlace;
  let database: Database;
  let opened: ProviderKeys[];
  beforeEach(async () => {
    place = await backend.makePlace();
    database = await openTestDatabase(place);
    opened = [];
  });
  afterEach(async () => {
    for (const keys of opened) await keys.close();
    await database.close();
    await place.remove();
  });

  /** One process. */
  async function open({
    environment = {},
    keys = [key],
    sandboxSecret,
  }: {
    environment?: Readonly<Record<string, string>>;
    keys?: (typeof key)[];
    sandboxSecret?: Secret;
  } = {}) {
    const source = createProviderKeySource({
      names: NAMES,
      environment: (name) => new Secret(environment[name] ?? ''),
      sandboxSecret,
      decode: (_name, value) => new Secret(value.reveal().trim()),
    });
    const changes: (readonly string[])[] = [];
    const unreadable: string[] = [];
    const vault = createVault(() => keys);
    const providerKeys = await openProviderKeys({
      store: createProviderKeyStore({ db: database.db, vault, clock: systemClock }),
      source,
      fingerprint: (secret) => `print of ${secret.reveal()}`,
      pollMs: 20,
      onUnreadable: (id) => void unreadable.push(textOf(id)),
    });
    providerKeys.onChanged((changed) => void changes.push(changed.map(textOf)));
    opened.push(providerKeys);
    const value = (name: string) => source.secretOf(name)?.reveal();
    const origin = async (name: string) =>
      (await providerKeys.list()).find((each) => each.name === name)?.origin;
    return { keys: providerKeys, source, changes, unreadable, value, origin };
  }

  const textOf = ({ tenantId, name }: ProviderKeyId) => (tenantId ? `${tenantId} ${name}` : name);
  const operators = (name: string): ProviderKeyId => ({ tenantId: OPERATOR, name });
  const set = async (keys: ProviderKeys, name = 'A_KEY', value = VALUE) => {
    await keys.set(operators(name), new Secret(value), 'person_1');
    return keys.show(name);
  };
  const remove = async (keys: ProviderKeys, name = 'A_KEY') => {
    await keys.remove(operators(name), 'cli');
    return keys.show(name);
  };

  test('are used at once where they are set, and everywhere else soon', async () => {
    const one = await open();
    const other = await open();
    expect(await set(one.keys)).toMatchObject({
      name: 'A_KEY',
      origin: 'stored',
      isStored: true,
      changedBy: 'person_1',
    });
    expect(one.value('A_KEY')).toBe(VALUE);
    await until(() => other.value('A_KEY') === VALUE);
    expect([one.changes, other.changes]).toEqual([[['A_KEY']], [['A_KEY']]]);
    await remove(other.keys);
    expect(other.value('A_KEY')).toBeUndefined();
    await until(() => one.value('A_KEY') === undefined);
    expect(await one.keys.list()).toMatchObject([
      { name: 'A_KEY', origin: 'missing', isStored: false, changedBy: 'cli' },
      { name: 'B_KEY', origin: 'missing', isStored: false, changedBy: null, changedAtMs: null },
      { name: 'C_KEY' },
    ]);
  });

  test('are used by a process that starts later, also after a rotation of the encryption key', async () => {
    const { keys } = await open();
    await set(keys);
    const next = readEncryptionKey(newEncryptionKey());
    const vault = createVault(() => [next, key]);
    await createSecretStore({ db: database.db, vault, clock: systemClock }).rotate();
    expect((await open({ keys: [next] })).value('A_KEY')).toBe(VALUE);
  });

  test('lose against the environment, which says so', async () => {
    const { keys, value, source, changes } = await open({ environment: { A_KEY: ' given ' } });
    expect(await set(keys)).toMatchObject({ origin: 'environment', isStored: true });
    expect(value('A_KEY')).toBe('given');
    expect(source.secretOf('A_KEY')).toBe(source.secretOf('A_KEY'));
    expect(changes).toEqual([]);
    expect(await remove(keys)).toMatchObject({
      origin: 'environment',
      isStored: false,
    });
  });

  test('follow the environment where its values change, and tell which did', async () => {
    const { keys, value, changes, source } = await open({
      environment: { A_KEY: '1', B_KEY: '1' },
    });
    await set(keys, 'B_KEY');
    keys.useEnvironment((name) => (name === 'A_KEY' ? new Secret('2') : undefined));
    expect([value('A_KEY'), value('B_KEY')]).toEqual(['2', VALUE]);
    expect(source.formerOf('A_KEY').map((former) => former.reveal())).toEqual(['1']);
    expect(source.originOf('B_KEY')).toBe('stored');
    keys.useEnvironment((name) => (name === 'A_KEY' ? new Secret('2') : undefined));
    expect(changes).toEqual([['A_KEY', 'B_KEY']]);
  });

  test('stay as they are if the environment cannot be read', async () => {
    const { keys, value, changes } = await open({ environment: { A_KEY: '1', B_KEY: '1' } });
    const broken = (name: string) => {
      if (name === 'B_KEY') throw new Error('broken');
      return new Secret('2');
    };
    expect(() => keys.useEnvironment(broken)).toThrow('broken');
    expect([value('A_KEY'), value('B_KEY'), changes]).toEqual(['1', '1', []]);
  });

  test('win against the sandbox', async () => {
    const { keys, value, origin } = await open({ sandboxSecret: new Secret('sample') });
    expect([value('A_KEY'), await origin('A_KEY')]).toEqual(['sample', 'sandbox']);
    await set(keys);
    expect([value('A_KEY'), await origin('A_KEY')]).toEqual([VALUE, 'stored']);
  });

  test('keep the same object while they stay the same, and remember what was in use', async () => {
    const { keys, source, changes } = await open();
    await set(keys);
    const first = source.secretOf('A_KEY');
    await set(keys, 'B_KEY');
    await set(keys, 'A_KEY', ` ${VALUE} `);
    expect(source.secretOf('A_KEY')).toBe(first);
    expect(source.formerOf('A_KEY')).toEqual([]);
    await set(keys, 'A_KEY', 'another');
    expect(source.formerOf('A_KEY')).toEqual([first]);
    expect(changes).toEqual([['A_KEY'], ['B_KEY'], ['A_KEY']]);
    for (let n = 0; n < 10; n++) await set(keys, 'A_KEY', `value ${n}`);
    expect(source.formerOf('A_KEY').map((value) => value.reveal())).toEqual(
      [8, 7, 6, 5, 4, 3, 2, 1].map((n) => `value ${n}`),
    );
  });

  test('are stored encrypted, and never in the trail', async () => {
    const { keys } = await open();
    await set(keys);
    await remove(keys);
    await set(keys);
    const rows = [
      ...(await database.db.selectFrom('secrets').selectAll().execute()),
      ...(await database.db.selectFrom('provider_keys').selectAll().execute()),
      ...(await database.db.selectFrom('admin_events').selectAll().execute()),
    ];
    expect(rows.length).toBe(5);
    expect(JSON.stringify(rows)).not.toContain('recognisable');
    const entry = { actor: 'person_1', subjectId: 'A_KEY', tenantId: null };
    expect(await listAdminEvents(database.db, { limit: 10 })).toMatchObject([
      { ...entry, action: 'provider_key.set' },
      { ...entry, action: 'provider_key.removed', actor: 'cli' },
      { ...entry, action: 'provider_key.set' },
    ]);
  });

  test('follow a database that was restored from a backup', async () => {
    const { keys, value } = await open();
    await set(keys);
    await set(keys, 'A_KEY', 'newer');
    await database.db.deleteFrom('secrets').where('field', '=', 'A_KEY').execute();
    await database.db
      .updateTable('changes')
      .set({ version: 1 })
      .where('topic', '=', 'provider_keys')
      .execute();
    await until(() => value('A_KEY') === undefined);
  });

  test('that cannot be decrypted are reported once, and can be set again', async () => {
    await set((await open()).keys);
    const next = readEncryptionKey(newEncryptionKey());
    const { keys, value, origin, unreadable } = await open({ keys: [next] });
    expect([value('A_KEY'), await origin('A_KEY')]).toEqual([undefined, 'unreadable']);
    await set(keys, 'B_KEY');
    expect(unreadable).toEqual(['A_KEY']);
    await set(keys);
    expect([value('A_KEY'), await origin('A_KEY')]).toEqual([VALUE, 'stored']);
  });

  test('cannot be stored without an encryption key; the message says how to set it', async () => {
    const { keys } = await open({ keys: [] });
    expect(keys.canStore).toBe(false);
    await expect(set(keys)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('openssl rand -base64 32'),
    });
    expect(await listAdminEvents(database.db, { limit: 1 })).toEqual([]);
  });

  test('are refused for names that no preset has, and cannot be removed twice', async () => {
    const { keys } = await open();
    await expect(set(keys, 'PATH')).rejects.toMatchObject({
      code: 'not_found',
      message: 'No preset needs a key "PATH". Names: A_KEY, B_KEY, C_KEY.',
    });
    await expect(remove(keys)).rejects.toMatchObject({ code: 'not_found' });
    expect(await listAdminEvents(database.db, { limit: 1 })).toEqual([]);
  });

  test('that no preset needs any more can still be seen and removed', async () => {
    const { db } = database;
    const store = createProviderKeyStore({
      db,
      vault: createVault(() => [key]),
      clock: systemClock,
    });
    await store.set(operators('OLD_KEY'), new Secret(VALUE), 'cli');
    const { keys } = await open();
    expect((await keys.list()).map(({ name }) => name)).toEqual([...NAMES, 'OLD_KEY']);
    await remove(keys, 'OLD_KEY');
    expect((await keys.list()).map(({ name }) => name)).toEqual(NAMES);
  });

  test('of tenants are theirs alone, each read once, and lost by no change of another', async () => {
    const one = await open();
    const other = await open();
    const id = { tenantId: 't1', name: 'A_KEY' };
    expect(one.keys.of('t1')).toBeUndefined();
    expect(await one.keys.set(id, new Secret(VALUE), 'key_1')).toBe(true);
    const stored = () => other.keys.of('t1')?.stored.get('A_KEY');
    await until(() => stored() !== undefined);
    const value = stored()?.value;
    expect([value?.secret.reveal(), value?.fingerprint]).toEqual([VALUE, `t1 print of ${VALUE}`]);
    expect([one.keys.of('t2'), one.value('A_KEY'), one.keys.tenants()]).toEqual([
      ...[undefined, undefined],
      ['t1'],
    ]);
    await one.keys.setOrigins(id, ['https://a.example'], 'person_1');
    await set(one.keys);
    await until(() => other.value('A_KEY') === VALUE);
    expect(stored()).toMatchObject({ origins: ['https://a.example'] });
    expect(stored()?.value).toBe(value);
    expect(await one.keys.set(id, new Secret('next'), 'key_1')).toBe(false);
    await remove(one.keys);
    expect(one.keys.of('t1')?.stored.get('A_KEY')).toMatchObject({
      origins: ['https://a.example'],
      value: { fingerprint: 't1 print of next' },
    });
    await one.keys.remove(id, 'key_1');
    expect([one.keys.of('t1'), one.changes]).toEqual([
      undefined,
      [['t1 A_KEY'], ['A_KEY'], ['t1 A_KEY'], ['A_KEY'], ['t1 A_KEY']],
    ]);
    await expect(one.keys.remove(id, 'key_1')).rejects.toMatchObject({
      code: 'not_found',
      message: 'Your tenant has stored no key of its own as A_KEY.',
    });
    await expect(one.keys.setOrigins(id, [], 'key_1')).rejects.toMatchObject({ code: 'not_found' });
    expect(await listAdminEvents(database.db, { limit: 1 })).toMatchObject([
      { actor: 'key_1', action: 'own_key.removed', subjectId: 'A_KEY', tenantId: 't1' },
    ]);
  });

  test('of the operator may be withheld from tenants', async () => {
    const { keys, changes } = await open();
    await keys.setPolicy('A_KEY', 'own', 'person_1');
    expect([keys.policyOf('A_KEY'), keys.policyOf('B_KEY')]).toEqual(['own', 'shared']);
    expect(keys.of('t1')?.withheld.has('A_KEY')).toBe(true);
    await keys.setPolicy('A_KEY', 'shared', 'person_1');
    expect([keys.of('t1'), changes]).toEqual([undefined, [[], []]]);
  });

  describe('have values', () => {
    test.each([
      ['nothing', ''],
      ['only blanks', '   '],
      ['a line break', 'a\nb'],
      ['a control character', 'a\u0000'],
      ['a line separator', 'a\u2028'],
      ['too many characters', 'x'.repeat(MAX_VALUE_LENGTH + 1)],
    ])('but not %s', async (_, text) => {
      const { keys } = await open();
      const refusal = await set(keys, 'A_KEY', text).catch((error: unknown) => error);
      expect(refusal).toMatchObject({ code: 'invalid_arguments' });
      expect(String(refusal)).toContain('1 to 4096 characters');
    });

    test('of up to 4,096 characters', async () => {
      const { keys, value } = await open();
      await set(keys, 'A_KEY', 'x'.repeat(MAX_VALUE_LENGTH));
      expect(value('A_KEY')).toHaveLength(4096);
    });
  });

  test('of names that the presets dropped remain readable for calls under way, until the next time', async () => {
    const { source } = await open({ environment: { A_KEY: 'value a', B_KEY: 'value b' } });
    const values = () => NAMES.map((name) => source.secretOf(name)?.reveal());
    source.useNames(['B_KEY']);
    source.useEnvironment(() => undefined);
    expect([values(), source.names, source.originOf('A_KEY')]).toEqual([
      ['value a', undefined, undefined],
      ['B_KEY'],
      'missing',
    ]);
    source.useNames(['B_KEY']);
    expect(values()).toEqual([undefined, undefined, undefined]);
    expect(source.formerOf('A_KEY').map((value) => value.reveal())).toEqual(['value a']);
  });
});
