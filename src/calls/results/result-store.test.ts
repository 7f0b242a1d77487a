import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import {
  describeStores,
  openTestDatabase,
  type TestPlace,
} from '../../../test/support/databases.ts';
import { until } from '../../../test/support/until.ts';
import type { Database } from '../../platform/database/database.ts';
import { createResultStore, type ResultFile, type ResultStore } from './result-store.ts';

const HOUR_MS = 3_600_000;
const MIB = 1024 * 1024;

describeStores('files of answers', (backend) => {
  let place: TestPlace;
  let database: Database;
  let now: number;
  const errors: unknown[] = [];
  const open: ResultStore[] = [];

  beforeEach(async () => {
    place = await backend.makePlace();
    database = await openTestDatabase(place);
    now = Date.UTC(2026, 10, 29);
    errors.length = 0;
  });
  afterEach(async () => {
    for (const store of open.splice(0)) await store.close();
    await database.close();
    await place.remove();
    expect(errors).toEqual([]);
  });

  function start(maxBytes = 16 * MIB): ResultStore {
    const onError = (error: unknown) => void errors.push(error);
    const store = createResultStore({
      db: database.db,
      clock: { now: () => now },
      maxBytes,
      onError,
    });
    open.push(store);
    return store;
  }

  const columns = [{ name: 'n' }, { name: 'text' }];

  async function keep(
    store: ResultStore,
    rows: readonly (readonly string[])[],
    owner: { tenantId?: string; question?: string; name?: string } = {},
  ): Promise<ResultFile> {
    const writer = store.open({ tenantId: 'one', tool: 'sky_now', ...owner });
    await writer.append(rows);
    return writer.finish(columns);
  }

  const rowsOf = async (store: ResultStore, file: ResultFile) =>
    (await Array.fromAsync(store.read(file))).flat();
  const noise = (bytes: number) => [['1', JSON.stringify(randomBytes(bytes).toString('base64'))]];
  const codeOf = (promise: Promise<unknown>) =>
    promise.then(
      () => 'found',
      (error) => error.code,
    );
  const countRows = async () => ({
    results: (await database.db.selectFrom('results').select('id').execute()).length,
    pieces: (await database.db.selectFrom('result_pieces').select('n').execute()).length,
  });

  it('have every cell as it was written, over several pieces', async () => {
    const store = start();
    const rows = Array.from({ length: 60_000 }, (_, n) => [`${n}.50`, `"서울 \\" ${n}\\n"`]);
    const writer = store.open({ tenantId: 'one', tool: 'sky_now', name: 'sky' });
    await writer.append(rows.slice(0, 7));
    await writer.append([]);
    await writer.append(rows.slice(7));
    const file = await writer.finish(columns);
    expect(file).toMatchObject({
      tool: 'sky_now',
      name: 'sky',
      rows: 60_000,
      columns: ['n', 'text'],
    });
    expect(await countRows()).toEqual({ results: 1, pieces: 8 });
    expect(await rowsOf(start(), await store.find(file.id, 'one'))).toEqual(rows);
  });

  it('may have rows that are shorter than the columns, or none', async () => {
    const store = start();
    expect(await rowsOf(store, await keep(store, [['1'], ['2', '"b"'], []]))).toEqual([
      ['1', ''],
      ['2', '"b"'],
      ['', ''],
    ]);
    expect(await rowsOf(store, await keep(store, []))).toEqual([]);
  });

  it('belong to a tenant, and have ids that nobody makes up', async () => {
    const store = start();
    const { id } = await keep(store, [['1']]);
    expect(id).toMatch(/^[\w-]{32}$/);
    expect(await codeOf(store.find(id, 'one'))).toBe('found');
    expect(await codeOf(store.find(id, 'two'))).toBe('not_found');
    expect(await codeOf(store.find(id.toLowerCase(), 'one'))).toBe('not_found');
    expect(await codeOf(store.find(randomBytes(24).toString('base64url'), 'one'))).toBe(
      'not_found',
    );
    expect(await codeOf(store.find('', 'one'))).toBe('not_found');
  });

  it('of the same question are the same, for the same tenant', async () => {
    const store = start();
    const { id } = await keep(store, [['1']], { question: 'q' });
    expect((await store.kept('one', 'q'))?.id).toBe(id);
    expect((await start().kept('one', 'q'))?.id).toBe(id);
    expect(await store.kept('two', 'q')).toBeUndefined();
    expect(await store.kept('one', 'r')).toBeUndefined();
    expect((await keep(store, [['2']], { question: 'q', tenantId: 'two' })).id).not.toBe(id);
    // Two processes may write the same answer at once.
    expect((await keep(store, [['1']], { question: 'q' })).id).not.toBe(id);
  });

  it('expire after an hour without a question, and are then deleted', async () => {
    const store = start();
    const file = await keep(store, [['1']], { question: 'q' });
    now += HOUR_MS - 1;
    expect((await store.kept('one', 'q'))?.expiresAtMs).toBe(now + HOUR_MS);
    now += HOUR_MS;
    expect(await codeOf(store.find(file.id, 'one'))).toBe('gone');
    expect(await store.kept('one', 'q')).toBeUndefined();
    expect(await codeOf(rowsOf(store, file))).toBe('found');
    await keep(start(), [['2']]);
    expect(await countRows()).toEqual({ results: 1, pieces: 1 });
    expect(await codeOf(store.find(file.id, 'one'))).toBe('gone');
    expect(await codeOf(rowsOf(store, file))).toBe('gone');
  });

  it('are deleted by a timer', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      await keep(start(), [['1']]);
      now += HOUR_MS;
      expect(await countRows()).toEqual({ results: 1, pieces: 1 });
      vi.advanceTimersByTime(60_000);
      await until(async () => (await countRows()).results === 0);
      expect(await countRows()).toEqual({ results: 0, pieces: 0 });
    } finally {
      vi.useRealTimers();
    }
  });

  it('have signed addresses, which open nothing else and no longer', async () => {
    const store = start();
    const file = await keep(store, [['1']]);
    const other = await keep(store, [['2']]);
    const query = new URLSearchParams(await store.sign(file));
    const [expires = '', sig = ''] = [query.get('expires') ?? '', query.get('sig') ?? ''];
    expect(Number(expires) * 1000).toBe(now + HOUR_MS);
    const check = (id: string, until: string, signature: string) =>
      codeOf(start().checkSignature(id, until, signature));
    expect(await check(file.id, expires, sig)).toBe('found');
    expect(await check(other.id, expires, sig)).toBe('not_found');
    expect(await check(file.id, String(Number(expires) + 1), sig)).toBe('not_found');
    expect(await check(file.id, `0${expires}`, sig)).toBe('not_found');
    expect(await check(file.id, expires, sig.slice(0, -1))).toBe('not_found');
    expect(await check(file.id, expires, `${sig}A`)).toBe('not_found');
    expect(await check(file.id, '', '')).toBe('not_found');
    now += HOUR_MS;
    expect(await check(file.id, expires, sig)).toBe('gone');
    expect(await check(other.id, expires, sig)).toBe('not_found');
  });

  it('are bounded: the oldest go first, and a tenant has at most half', async () => {
    const store = start(MIB);
    const ofTwo: ResultFile[] = [];
    for (let n = 0; n < 4; n++) {
      now += 1000;
      ofTwo.push(await keep(store, noise(60_000), { tenantId: 'two' }));
    }
    for (let n = 0; n < 12; n++) {
      now += 1000;
      await keep(store, noise(60_000));
    }
    const bytesOf = async (tenantId: string) => {
      const rows = database.db
        .selectFrom('results')
        .select('bytes')
        .where('tenant_id', '=', tenantId);
      return (await rows.execute()).reduce((sum, { bytes }) => sum + Number(bytes), 0);
    };
    expect(await bytesOf('one')).toBeLessThanOrEqual(MIB / 2);
    expect(await bytesOf('one')).toBeGreaterThan(MIB / 3);
    for (const { id } of ofTwo) expect(await codeOf(store.find(id, 'two'))).toBe('found');
    for (let n = 0; n < 8; n++) {
      now += 1000;
      await keep(store, noise(60_000), { tenantId: `more ${n}` });
    }
    expect(await codeOf(store.find(ofTwo[0]?.id ?? '', 'two'))).toBe('gone');
    const all = await database.db.selectFrom('results').select('bytes').execute();
    const total = all.reduce((sum, { bytes }) => sum + Number(bytes), 0);
    expect(total).toBeLessThanOrEqual(MIB);
    expect(total).toBeGreaterThan(MIB / 2);
  });

  it('that are larger than the share of a tenant are refused, and leave nothing', async () => {
    const store = start(MIB);
    const writer = store.open({ tenantId: 'one', tool: 'sky_now' });
    await expect(
      (async () => {
        for (let n = 0; n < 20; n++) await writer.append(noise(800_000));
      })(),
    ).rejects.toMatchObject({ code: 'too_large' });
    await writer.abort();
    expect(await countRows()).toEqual({ results: 0, pieces: 0 });
  });

  it('that are given up leave nothing', async () => {
    const store = start();
    const writer = store.open({ tenantId: 'one', tool: 'sky_now' });
    await writer.append(noise(2 * MIB));
    expect(await countRows()).toEqual({ results: 1, pieces: 1 });
    await writer.abort();
    expect(await countRows()).toEqual({ results: 0, pieces: 0 });
    await store.open({ tenantId: 'one', tool: 'sky_now' }).abort();
  });

  it('that no process completes are found by nobody', async () => {
    const store = start();
    const owner = { tenantId: 'one', tool: 'sky_now', question: 'q' };
    await store.open(owner).append(noise(2 * MIB));
    expect(await store.kept('one', 'q')).toBeUndefined();
    const file = await keep(store, [['1']], { question: 'q' });
    expect(await rowsOf(store, file)).toEqual([['1', '']]);
  });

  it('are refused where nothing may be kept', async () => {
    await expect(keep(start(0), [['1']])).rejects.toMatchObject({ code: 'too_large' });
  });
});
