import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeTool } from '../../../test/support/catalog-entries.ts';
import { describeStores } from '../../../test/support/databases.ts';
import {
  description,
  openRegistrationPlace,
  type RegistrationPlace,
  request,
  smallSteps,
} from '../../../test/support/registrations.ts';
import { until } from '../../../test/support/until.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { newEncryptionKey, readEncryptionKey } from '../../platform/vault/cipher.ts';
import { createSecretStore } from '../../platform/vault/secret-store.ts';
import { createVault } from '../../platform/vault/vault.ts';
import { createCatalog } from '../../tools/catalog/catalog.ts';
import { createRegistrations, type Registrations } from '../registrations.ts';
import type { StoredDescription } from '../steps/description-compiler.ts';
import { createRegistrationStore } from '../store/registration-store.ts';
import {
  type LayersInUse,
  type LayersInUseDeps,
  openLayersInUse,
  warmLayers,
} from './layers-in-use.ts';
import { connectRegistration } from './registered-connection.ts';

const sender = { send: () => Promise.reject(new Error('No call is made.')) };
const tokens = { get: () => Promise.reject(new Error()), renew: () => Promise.reject(new Error()) };

describeStores('the layers in use', (backend) => {
  let here: RegistrationPlace;
  let registrations: Registrations;
  let layers: LayersInUse;
  let catalog: ReturnType<typeof createCatalog>;
  let told: string[];
  let loads: string[];
  /** Tools that were read as they were stored. */
  let unpacked: string[];
  /** What a load waits for. */
  let gate: Promise<void> | undefined;
  let errors: unknown[];
  let fails: Error | undefined;

  /** The release of the gateway. */
  let release: string;

  const stampOf = ({ scheme }: Pick<StoredDescription, 'scheme'>) => `${release} ${scheme.type}`;
  const loadedOf = (tools: readonly string[]) => ({
    baseUrl: '',
    tools: tools.map((tool) => makeTool(tool)),
    bytes: 10_000,
  });
  async function load(stored: Pick<StoredDescription, 'name' | 'tools' | 'scheme'>) {
    const { name, tools } = stored;
    loads.push(name);
    await gate;
    if (fails) throw fails;
    const content = Buffer.from(JSON.stringify(tools));
    return { loaded: loadedOf(tools), compiledTools: { stamp: stampOf(stored), content } };
  }
  async function unpack(content: Uint8Array) {
    const text = Buffer.from(content).toString();
    unpacked.push(text);
    return loadedOf(JSON.parse(text));
  }
  const compilerWith = (more: Partial<LayersInUseDeps['compiler']> = {}) => ({
    load,
    stampOf,
    unpack,
    ...more,
  });
  const openLayers = (more: Partial<LayersInUseDeps> = {}) =>
    openLayersInUse({
      ...here.deps,
      store: createRegistrationStore(here.deps),
      secrets: createSecretStore(here.deps),
      compiler: compilerWith(),
      catalog,
      connect: (registration, credentials) =>
        connectRegistration(
          { client: sender, tokens, keyOf: () => undefined, maySend: () => false },
          registration,
          credentials,
        ),
      maxBytes: 1_000_000,
      maxWaitMs: 60_000,
      pollMs: 60_000,
      onListChanged: (tenantId) => void told.push(tenantId),
      onError: (error) => void errors.push(error),
      ...more,
    });
  beforeEach(async () => {
    here = await openRegistrationPlace(backend);
    catalog = createCatalog({ presets: [] });
    told = [];
    loads = [];
    unpacked = [];
    release = '1.0';
    errors = [];
    fails = undefined;
    gate = undefined;
    layers = await openLayers();
    registrations = createRegistrations({
      ...here.deps,
      clock: { now: () => Date.now() },
      steps: smallSteps(),
      serve: (tenantId) => layers.sync(tenantId),
      onChanged: () => undefined,
      onError: (error) => void errors.push(error),
    });
  });
  afterEach(async () => {
    await registrations.close();
    await layers.close();
    await here.close();
  });

  const callerOf = (tenantId: string, tenantSlug: string) =>
    ({ tenantId, tenantSlug, apiKeyId: 'key_1', allowedTools: null }) as const;
  const ours = () => callerOf(here.ours, 'ours');
  const theirs = () => callerOf(here.theirs, 'theirs');
  const listed = (caller = ours()) => catalog.list(caller).map(({ id }) => id);

  /** Registers an API and resolves with its id once that is told. */
  const register = (name: string, operations: string, body = {}) =>
    registerAs(ours(), name, operations, body);
  async function registerAs(
    caller: ReturnType<typeof ours>,
    name: string,
    operations: string,
    body = {},
  ): Promise<string> {
    const { jobId } = await registrations.submit(
      caller,
      request({ name, spec_raw: description(operations), ...body }),
    );
    await until(async () => (await registrations.status(caller, jobId)).progress === 1);
    const { registrations: all } = await registrations.list(caller, { limit: 100 });
    return all.find((each) => each.name === name)?.id ?? '';
  }

  /** Makes the database what it was before a registration. */
  async function restoreBackupWithout(id: string): Promise<void> {
    const { db } = here.database;
    await db.deleteFrom('registrations').where('id', '=', id).execute();
    await db
      .updateTable('changes')
      .set({ version: 0 })
      .where('topic', '=', 'registrations')
      .execute();
  }

  it('are loaded with the first request of a tenant, once', async () => {
    await register('Pets', 'list get');
    expect(listed()).toEqual([]);
    await Promise.all([layers.ready(here.ours), layers.ready(here.ours), layers.ready(here.ours)]);
    expect(loads).toEqual(['Pets']);
    expect(listed()).toEqual(['@ours.pets.get', '@ours.pets.list']);
    expect(layers.ready(here.ours)).toBeUndefined();
    await layers.ready(here.theirs);
    expect(listed(theirs())).toEqual([]);
  });

  it('have a change before its author hears of it, and tell the clients of that tenant', async () => {
    await layers.ready(here.ours);
    const id = await register('Pets', 'list');
    expect(listed()).toEqual(['@ours.pets.list']);
    await registrations.delete(ours(), id);
    expect(listed()).toEqual([]);
    expect(new Set(told)).toEqual(new Set([here.ours]));
    expect(told.length).toBeGreaterThanOrEqual(2);
  });

  it('compile only what has changed, and keep the entries of everything else', async () => {
    await layers.ready(here.ours);
    await register('Pets', 'list');
    const before = catalog.findById(ours(), '@ours.pets.list');
    await register('Shop', 'buy');
    expect(loads).toEqual(['Pets', 'Shop']);
    expect(catalog.findById(ours(), '@ours.pets.list')).toBe(before);
  });

  it('are read as they were stored after a restart, and compiled again by another release', async () => {
    await register('Pets', 'list get');
    const restart = async () => {
      loads.length = 0;
      unpacked.length = 0;
      const fresh = await openLayers();
      await fresh.ready(here.ours);
      await fresh.close();
      return [loads.length, unpacked.length];
    };
    expect(await restart()).toEqual([1, 0]);
    expect(await restart()).toEqual([0, 1]);
    expect(listed()).toEqual(['@ours.pets.get', '@ours.pets.list']);
    release = '1.1';
    expect(await restart()).toEqual([1, 0]);
    expect(await restart()).toEqual([0, 1]);
  });

  it('are compiled again if what is stored cannot be read', async () => {
    await register('Pets', 'list');
    await layers.ready(here.ours);
    const { db } = here.database;
    await db
      .updateTable('registrations')
      .set({ compiled: Buffer.from('x') })
      .execute();
    const fresh = await openLayers();
    await fresh.ready(here.ours);
    expect(loads).toEqual(['Pets', 'Pets']);
    expect(listed()).toEqual(['@ours.pets.list']);
    await fresh.close();
  });

  it('are compiled again where another kind of credential changes what is sent', async () => {
    await layers.ready(here.ours);
    const id = await register('Pets', 'list', { auth: { type: 'bearer', token: 'first' } });
    const auth = { type: 'api_key', in: 'header', key_name: 'x-key', token: 'second' };
    const { authentication } = request({ auth });
    await registrations.patch(ours(), id, { authentication });
    expect(loads).toEqual(['Pets', 'Pets']);
  });

  it('are not waited for by a request that needs none of their names', async () => {
    await register('Pets', 'list get');
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    const waiting: string[] = [];
    const needing = (names: readonly string[] | undefined) =>
      Promise.resolve(layers.ready(here.ours, () => names)).then(
        () => void waiting.push(String(names)),
      );
    const all = [needing(['rates', 'list']), needing(undefined)];
    await needing(['rates', 'other']);
    await needing([]);
    expect(waiting).toEqual(['rates,other', '']);
    resolve();
    await Promise.all(all);
    expect(layers.ready(here.ours)).toBeUndefined();
    expect(loads).toEqual(['Pets']);
  });

  it('give an entry a new connection after a new credential, and the old entry keeps its own', async () => {
    await layers.ready(here.ours);
    const auth = { type: 'bearer', token: 'first' };
    const id = await register('Pets', 'list', { auth });
    const before = catalog.findById(ours(), '@ours.pets.list')?.connection;
    const { scheme } = request({ auth }).authentication;
    const { credentials } = request({ auth: { ...auth, token: 'second' } }).authentication;
    await registrations.patch(ours(), id, { authentication: { scheme, credentials } });
    const after = catalog.findById(ours(), '@ours.pets.list')?.connection;
    expect([before, after].map((each) => each?.secrets('credential')?.reveal())).toEqual([
      'first',
      'second',
    ]);
    expect(after?.cacheIdentity).not.toBe(before?.cacheIdentity);
    expect(loads).toEqual(['Pets']);
  });

  it('leave out an API that cannot be compiled any more, and say why', async () => {
    await register('Pets', 'list');
    fails = new GatewayError('unprocessable', 'Too large.');
    await layers.ready(here.ours);
    expect(listed()).toEqual([]);
    expect(errors.splice(0)).toEqual([fails]);
  });

  it('refuse the first request while the tools cannot be loaded, and try again with the next', async () => {
    await register('Pets', 'list');
    fails = new GatewayError('overloaded');
    await expect(layers.ready(here.ours)).rejects.toMatchObject({ code: 'overloaded' });
    fails = undefined;
    await layers.ready(here.ours);
    expect(listed()).toEqual(['@ours.pets.list']);
  });

  it('are not waited for longer than a request may wait, and are there for a later one', async () => {
    await register('Pets', 'list');
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    const impatient = await openLayers({ maxWaitMs: 10 });
    await expect(impatient.ready(here.ours)).rejects.toMatchObject({
      code: 'overloaded',
      details: { retryAfterSeconds: 2 },
    });
    resolve();
    await until(() => listed().length === 1);
    expect(impatient.ready(here.ours)).toBeUndefined();
    await impatient.close();
  });

  it('follow a change again after a failure, once, however many changes have failed', async () => {
    await layers.ready(here.ours);
    fails = new GatewayError('overloaded');
    await register('Pets', 'list');
    await register('Shop', 'buy');
    expect([listed(), errors.splice(0)]).toEqual([[], []]);
    fails = undefined;
    loads.length = 0;
    await until(() => listed().length === 2);
    expect(loads).toEqual(['Pets', 'Shop']);
  });

  it('keep the tools of an API whose credential cannot be decrypted, and everything else', async () => {
    const auth = { type: 'bearer', token: 'first' };
    await register('Pets', 'list', { auth });
    await register('Shop', 'buy');
    const vault = createVault(() => [readEncryptionKey(newEncryptionKey())]);
    const keyless = await openLayers({ secrets: createSecretStore({ ...here.deps, vault }) });
    await keyless.ready(here.ours);
    expect(listed()).toEqual(['@ours.pets.list', '@ours.shop.buy']);
    const { connection } = catalog.findById(ours(), '@ours.pets.list') ?? {};
    expect(connection?.secrets('credential')).toBeUndefined();
    expect(errors.splice(0)).toMatchObject([{ code: 'missing_secret' }]);
    await keyless.close();
  });

  it('give way to those of other tenants, and come back', async () => {
    await register('Pets', 'list');
    const few = await openLayers({ maxBytes: 21_000 });
    await few.ready(here.ours);
    expect(listed()).toHaveLength(1);
    for (let n = 0; n < 25; n++) await few.ready(`tenant_${n}`);
    expect(listed()).toEqual([]);
    await few.ready(here.ours);
    expect(listed()).toHaveLength(1);
    await few.close();
  });

  it('are loaded after a start, those changed last first, up to half of the memory', async () => {
    const { signal } = new AbortController();
    await register('Pets', 'list');
    await registerAs(theirs(), 'Shop', 'buy');
    const warm = async (maxBytes: number) => {
      loads.length = 0;
      // Another release compiles them all again.
      release += '.1';
      const fresh = await openLayers({ maxBytes });
      await warmLayers(fresh, { db: here.database.db, maxBytes }, signal);
      await fresh.close();
      return [...loads];
    };
    expect(await warm(1_000_000)).toEqual(['Shop', 'Pets']);
    expect(await warm(21_000)).toEqual(['Shop']);
    fails = new GatewayError('overloaded');
    expect(await warm(1_000_000)).toEqual(['Shop', 'Pets']);
  });

  it('of one tenant leave room for those of others, however large they are', async () => {
    await register('Pets', 'list');
    const few = await openLayers({ maxBytes: 10_600 });
    await few.ready(here.ours);
    await few.ready(here.theirs);
    expect(few.ready(here.ours)).toBeUndefined();
    expect(few.ready(here.theirs)).toBeUndefined();
    await few.close();
  });

  it('leave out what does not fit, and say so', async () => {
    for (const name of ['A', 'B', 'C']) await register(name, `${name}1`);
    const few = await openLayers({ maxBytes: 30_000 });
    loads.length = 0;
    await few.ready(here.ours);
    expect(listed()).toEqual(['@ours.a.A1']);
    expect(loads).toEqual(['A', 'B']);
    expect(errors.splice(0)).toMatchObject([{ code: 'unprocessable' }]);
    await few.close();
  });

  it('never join a new credential to what was approved for an earlier one', async () => {
    const auth = { type: 'bearer', token: 'first' };
    const id = await register('Pets', 'list', { auth });
    const { scheme, credentials } = request({ auth: { ...auth, token: 'second' } }).authentication;
    let isPatched = false;
    const slowly = async (stored: StoredDescription) => {
      if (!isPatched)
        await registrations.patch(ours(), id, { authentication: { scheme, credentials } });
      isPatched = true;
      return load(stored);
    };
    const later = await openLayers({ compiler: compilerWith({ load: slowly }) });
    await later.ready(here.ours);
    const identities = () =>
      [catalog.findById(ours(), '@ours.pets.list')?.connection].map((connection) => [
        connection?.cacheIdentity,
        connection?.secrets('credential')?.reveal(),
      ]);
    expect(identities()).not.toEqual([[`${id}:1`, 'second']]);
    await later.sync(here.ours);
    expect(identities()).toEqual([[`${id}:2`, 'second']]);
    await later.close();
  });

  it('follow a database that was restored from a backup', async () => {
    await layers.ready(here.ours);
    const id = await register('Pets', 'list');
    await restoreBackupWithout(id);
    await layers.sync(here.ours);
    await until(() => listed().length === 0);
  });

  it('load again what was being loaded when the database was restored', async () => {
    const id = await register('Pets', 'list');
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    const ready = layers.ready(here.ours);
    await until(() => loads.length === 1);
    await restoreBackupWithout(id);
    const synced = layers.sync(here.ours);
    resolve();
    await Promise.all([ready, synced]);
    expect(listed()).toEqual([]);
  });
});
