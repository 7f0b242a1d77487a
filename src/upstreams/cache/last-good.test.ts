import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  describeStores,
  openTestDatabase,
  type TestPlace,
} from '../../../test/support/databases.ts';
import { until } from '../../../test/support/until.ts';
import type { Database } from '../../platform/database/database.ts';
import type { UpstreamResponse } from '../payload/upstream-response.ts';
import {
  createLastGoodStore,
  type LastGoodDeps,
  type LastGoodStore,
  type LastGoodTerms,
  MAX_BATCH,
  MAX_WAITING,
  MAX_WAITING_BYTES,
} from './last-good.ts';

const HOUR_MS = 3_600_000;

describeStores('last good responses', (backend) => {
  let place: TestPlace;
  let database: Database;
  let now: number;
  const errors: unknown[] = [];
  const open: LastGoodStore[] = [];

  beforeEach(async () => {
    place = await backend.makePlace();
    database = await openTestDatabase(place);
    now = Date.UTC(2026, 10, 27);
    errors.length = 0;
  });
  afterEach(async () => {
    for (const store of open.splice(0)) await store.close();
    await database.close();
    await place.remove();
  });

  function start(over: Partial<LastGoodDeps> = {}): LastGoodStore {
    const store = createLastGoodStore({
      db: database.db,
      clock: { now: () => now },
      maxBytes: 1024 * 1024,
      maxAnswerBytes: 100_000,
      onError: (error) => void errors.push(error),
      ...over,
    });
    open.push(store);
    return store;
  }

  const ask = (question: string, over: Partial<LastGoodTerms> = {}): LastGoodTerms => ({
    question,
    askedMs: now,
    tenantId: null,
    askedBy: 'one',
    seconds: 7 * 86_400,
    ...over,
  });
  const answer = (json: string | Buffer, fetchedAtMs = now): UpstreamResponse => ({
    status: 200,
    ok: true,
    url: 'http://up/',
    fetchedAtMs,
    fetchedAt: new Date(fetchedAtMs).toISOString(),
    json: Buffer.from(json),
  });
  const textOf = async (store: LastGoodStore, terms: LastGoodTerms) =>
    (await store.find(terms))?.response.json.toString();
  const countRows = async (): Promise<number> =>
    (await database.db.selectFrom('last_good').select('question').execute()).length;

  it('are found at once, after a restart, and until they are too old', async () => {
    const first = start();
    const asked = ask('a');
    first.remember(asked, answer('"one"'));
    first.remember(asked, answer('"two"'));
    expect(await textOf(first, asked)).toBe('"two"');
    await first.close();
    const second = start();
    now += 48 * HOUR_MS;
    expect(await second.find(ask('a'))).toEqual({
      response: answer('"two"', asked.askedMs),
      askedMs: asked.askedMs,
    });
    expect(await second.find(ask('b'))).toBeUndefined();
    expect(await second.find(ask('a', { seconds: 48 * 3600 }))).toBeUndefined();
    expect(await second.find(ask('a', { seconds: 0 }))).toBeUndefined();
    expect(errors).toEqual([]);
  });

  it('are written within a second', async () => {
    start().remember(ask('a'), answer('"one"'));
    await until(async () => (await countRows()) === 1);
  });

  it('are not kept if they may not be, or are too large', async () => {
    const store = start();
    store.remember(ask('a', { seconds: 0 }), answer('1'));
    store.remember(ask('b'), answer('x'.repeat(100_001)));
    store.remember(ask('c'), answer('x'.repeat(100_000)));
    await store.close();
    expect(await countRows()).toBe(1);
  });

  it('of a clock that is ahead count as fetched now', async () => {
    const store = start();
    store.remember(ask('a'), answer('1', now + 100 * HOUR_MS));
    await store.close();
    now += 2 * HOUR_MS;
    expect(await textOf(start(), ask('a', { seconds: 3600 }))).toBeUndefined();
  });

  it('are bounded: those that were asked for least recently go first', async () => {
    const noise = (): Buffer => Buffer.from(crypto.getRandomValues(new Uint8Array(50_000)));
    const store = start();
    for (let n = 0; n < 10; n++) store.remember(ask(`${n}`), answer(noise()));
    await store.close();
    now += 2 * HOUR_MS;
    const later = start();
    expect(await later.find(ask('0'))).toBeDefined();
    await later.close();
    now += HOUR_MS;
    const last = start();
    for (let n = 10; n < 25; n++) last.remember(ask(`${n}`), answer(noise()));
    await last.close();
    expect(await countRows()).toBe(Math.floor((1024 * 1024) / 50_300));
    expect(await last.find(ask('0'))).toBeDefined();
  });

  it('are bounded: one tenant displaces none of what others asked for', async () => {
    const noise = (): Buffer => Buffer.from(crypto.getRandomValues(new Uint8Array(50_000)));
    const first = start();
    for (let n = 0; n < 5; n++)
      first.remember(ask(`two ${n}`, { askedBy: 'two' }), answer(noise()));
    await first.close();
    now += HOUR_MS;
    const flood = start();
    for (let n = 0; n < 60; n++) flood.remember(ask(`${n}`), answer(noise()));
    // Nor what it asks for, too.
    flood.remember(ask('two 0'), answer(noise()));
    await flood.close();
    expect(await countRows()).toBe(Math.floor((1024 * 1024) / 50_300));
    for (let n = 0; n < 5; n++) expect(await flood.find(ask(`two ${n}`))).toBeDefined();
    // What others ask for takes the place of the same tenant's, but only down to half.
    now += HOUR_MS;
    const others = start();
    for (let n = 5; n < 40; n++)
      others.remember(ask(`two ${n}`, { askedBy: 'two' }), answer(noise()));
    await others.close();
    const left = await database.db
      .selectFrom('last_good')
      .select(({ fn }) => fn.sum<number>('bytes').as('bytes'))
      .where('asked_by', '=', 'one')
      .executeTakeFirst();
    expect(Number(left?.bytes)).toBeGreaterThan(1024 * 512 - 2 * 50_300);
  });

  it('that wait are bounded: another question is not kept', async () => {
    const many = start();
    const sent = (n: number) => ask(`${n}`, { askedBy: n % 2 ? 'one' : 'two' });
    for (let n = 0; n <= MAX_WAITING; n++) many.remember(sent(n), answer('1'));
    await many.close();
    expect(await countRows()).toBe(MAX_WAITING);
    const large = start({ maxBytes: 2 ** 30, maxAnswerBytes: MAX_WAITING_BYTES });
    large.remember(ask('large'), answer(' '.repeat(MAX_WAITING_BYTES)));
    large.remember(ask('another', { askedBy: 'two' }), answer('1'));
    await large.close();
    expect(await large.find(ask('another'))).toBeUndefined();
    expect(await large.find(ask('large'))).toBeDefined();
  });

  it('that wait are bounded: half of them for one tenant', async () => {
    const store = start({ maxBytes: 2 ** 30, maxAnswerBytes: MAX_WAITING_BYTES });
    for (let n = 0; n < MAX_WAITING; n++) store.remember(ask(`${n}`), answer('1'));
    store.remember(ask('other', { askedBy: 'two' }), answer('1'));
    expect(await store.find(ask(`${MAX_WAITING / 2 - 1}`))).toBeDefined();
    expect(await store.find(ask(`${MAX_WAITING / 2}`))).toBeUndefined();
    expect(await store.find(ask('other'))).toBeDefined();
    const half = ' '.repeat(MAX_WAITING_BYTES / 2);
    store.remember(ask('large', { askedBy: 'three' }), answer(half));
    store.remember(ask('larger', { askedBy: 'three' }), answer(half));
    expect(await store.find(ask('large'))).toBeDefined();
    expect(await store.find(ask('larger'))).toBeUndefined();
  });

  it('that wait are bounded also where small responses are replaced by large ones', async () => {
    const store = start({ maxBytes: 2 ** 30, maxAnswerBytes: MAX_WAITING_BYTES });
    for (const n of [1, 2, 3]) store.remember(ask(`${n}`), answer('1'));
    const half = MAX_WAITING_BYTES / 2;
    for (const n of [1, 2, 3])
      store.remember(ask(`${n}`, { askedBy: `${n}` }), answer(' '.repeat(half)));
    const found = await Promise.all(
      [1, 2, 3].map(async (n) => (await store.find(ask(`${n}`)))?.response.json.length),
    );
    expect(found).toEqual([half, undefined, half]);
  });

  it('are written some at a time, so that a burst of calls costs little', async () => {
    const store = start();
    for (let n = 0; n < 3 * MAX_BATCH; n++) store.remember(ask(`${n}`), answer('1'));
    await until(async () => (await countRows()) > 0);
    expect(await countRows()).toBe(MAX_BATCH);
    expect(await store.find(ask(`${2 * MAX_BATCH}`))).toBeDefined();
    await until(async () => (await countRows()) === 3 * MAX_BATCH);
    await store.close();
  });

  it('that a tenant received with its own key are forgotten with it', async () => {
    const store = start();
    store.remember(ask('a', { tenantId: 'one' }), answer('1'));
    store.remember(ask('b', { tenantId: 'two' }), answer('1'));
    await store.close();
    store.remember(ask('c', { tenantId: 'one' }), answer('1'));
    await store.forget('one');
    const found = ['a', 'b', 'c'].map(
      async (question) => (await store.find(ask(question))) !== undefined,
    );
    expect(await Promise.all(found)).toEqual([false, true, false]);
  });

  it('are missing while the database is away, and written when it is back', async () => {
    const away = await openTestDatabase(place);
    await away.close();
    const store = start({ db: away.db });
    store.remember(ask('a'), answer('1'));
    expect(await textOf(store, ask('a'))).toBe('1');
    await store.close();
    expect(await store.find(ask('b'))).toBeUndefined();
    expect(await textOf(store, ask('a'))).toBe('1');
    expect(errors.length).toBeGreaterThan(0);
  });
});
