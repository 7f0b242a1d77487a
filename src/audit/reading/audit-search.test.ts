import { setTimeout as sleep } from 'node:timers/promises';
import { CompiledQuery } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeDataDir, removeDir } from '../../../test/support/temporary-dir.ts';
import { AUDIT_FILE_NAME, openAuditFile } from '../record/audit-file.ts';
import { type AuditSearch, createAuditSearch } from './audit-search.ts';

const ONE = CompiledQuery.raw('select ? as n', [1]);
const COUNTING = `with recursive numbers(n) as
  (select 1 union all select n + 1 from numbers where n < ?) select max(n) as n from numbers`;
/** Takes a second or more. */
const SLOW = CompiledQuery.raw(COUNTING, [8_000_000]);
const SHORT = CompiledQuery.raw(COUNTING, [200_000]);

describe('the search thread', () => {
  let dataDir: string;
  let searches: AuditSearch[];

  beforeEach(async () => {
    searches = [];
    dataDir = await makeDataDir();
    await (await openAuditFile({ dataDir, fsync: false })).close();
  });
  afterEach(async () => {
    await Promise.all(searches.map((search) => search.close()));
    await removeDir(dataDir);
  });

  const open = (
    bounds: Parameters<typeof createAuditSearch>[1] = {},
    path = `${dataDir}/${AUDIT_FILE_NAME}`,
  ): AuditSearch => {
    const search = createAuditSearch(path, bounds);
    searches.push(search);
    return search;
  };

  it('runs queries in order, also after it was idle', async () => {
    const search = open({ idleMs: 1 });
    expect(await Promise.all([search.run(SHORT), search.run(ONE)])).toEqual([
      [{ n: 200_000 }],
      [{ n: 1 }],
    ]);
    await sleep(50);
    expect(await search.run(ONE)).toEqual([{ n: 1 }]);
  });

  it('does not block the event loop while it works', async () => {
    const search = open();
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await search.run(CompiledQuery.raw(COUNTING, [1_000_000]));
    clearInterval(timer);
    expect(turns).toBeGreaterThan(10);
  });

  it('refuses a query if too many are waiting', async () => {
    const search = open({ maxWaiting: 2 });
    const taken = [search.run(SHORT), search.run(ONE), search.run(ONE)];
    await expect(search.run(ONE)).rejects.toMatchObject({
      code: 'overloaded',
      details: { retryAfterSeconds: 1 },
    });
    await Promise.all(taken);
  });

  it('lets tenants take turns, each with a bounded number of queries', async () => {
    const search = open({ maxWaitingPerLane: 2 });
    const order: string[] = [];
    const run = (tenantId: string) => search.run(SHORT, tenantId).then(() => order.push(tenantId));
    const taken = [run('one'), run('one'), run('one')];
    await expect(search.run(ONE, 'one')).rejects.toMatchObject({ code: 'overloaded' });
    await Promise.all([...taken, run('two')]);
    expect(order).toEqual(['one', 'two', 'one', 'one']);
  });

  it('gives up a query that takes too long and those that waited as long, then continues', async () => {
    const search = open({ jobTimeoutMs: 500 });
    const late = await Promise.allSettled([search.run(SLOW), search.run(ONE)]);
    for (const result of late) {
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'overloaded' } });
    }
    await expect
      .poll(() => search.run(ONE).catch(() => null), { timeout: 30_000 })
      .toEqual([{ n: 1 }]);
  });

  it('rejects a query that SQLite refuses, and no other', async () => {
    const search = open();
    const writing = CompiledQuery.raw('delete from audit_records', []);
    await expect(search.run(writing)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await search.run(ONE)).toEqual([{ n: 1 }]);
  });

  it('rejects every query while the file cannot be opened', async () => {
    const search = open({}, `${dataDir}/nowhere/audit.db`);
    for (let n = 0; n < 2; n++) {
      await expect(search.run(ONE)).rejects.toMatchObject({ code: 'unavailable' });
    }
  });

  it('rejects pending and later queries once it is closed', async () => {
    const search = open();
    const waiting = Promise.allSettled([search.run(SHORT), search.run(ONE)]);
    await search.close();
    expect((await waiting).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(search.run(ONE)).rejects.toMatchObject({ code: 'unavailable' });
  });
});
