import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  describeStores,
  openTestDatabase,
  type TestPlace,
} from '../../../test/support/databases.ts';
import { until } from '../../../test/support/until.ts';
import type { Database } from '../../platform/database/database.ts';
import { systemClock } from '../../platform/kernel/clock.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { Bucket } from './quota-bucket.ts';
import { createQuotaLedger, type QuotaLedger } from './quota-ledger.ts';
import { createQuotaStore, type QuotaStore } from './quota-store.ts';
import { createQuotaWarnings, type QuotaWarning } from './quota-warnings.ts';

const bucketOf = (limit: number | null, id = 'key GET /operation'): Bucket => ({
  id,
  limit,
  zone: 'Asia/Seoul',
  key: undefined,
  serverId: 'one',
  dataset: '15084084',
});

describeStores('the ledger of quotas', (backend) => {
  let place: TestPlace;
  let database: Database;
  const open: QuotaLedger[] = [];
  const errors: unknown[] = [];

  const storeOf = (now?: () => number): QuotaStore =>
    createQuotaStore({ database, clock: now ? { now } : systemClock });

  /** One process. */
  function start(over: Partial<QuotaStore> = {}, now?: () => number, newMs = 0): QuotaLedger {
    const ledger = createQuotaLedger({
      store: { ...storeOf(now), ...over },
      processes: () => 3,
      announce: () => {
        for (const other of open) if (other !== ledger) other.refresh('key GET /operation');
      },
      onError: (error) => void errors.push(error),
      newMs,
    });
    open.push(ledger);
    return ledger;
  }

  beforeEach(async () => {
    place = await backend.makePlace();
    database = await openTestDatabase(place);
    errors.length = 0;
  });
  afterEach(async () => {
    for (const ledger of open.splice(0)) await ledger.close();
    await database.close();
    await place.remove();
  });

  const reserve = async (
    ledger: QuotaLedger,
    tenantId: string,
    bucket: Bucket,
  ): Promise<boolean> => {
    try {
      await ledger.requestsOf(bucket, tenantId).reserve();
      return true;
    } catch (error) {
      expect(error).toMatchObject({ code: 'quota_exhausted' });
      return false;
    }
  };

  /** Sends until every process refuses, also after each has returned what it does not use; returns how many were sent. */
  async function sendAll(ledgers: readonly QuotaLedger[], tenantId: string, bucket: Bucket) {
    let sent = 0;
    for (let passes = 0, before = -1; passes < 2 || sent > before; passes++) {
      before = sent;
      if (passes > 0) await returnUnused(ledgers);
      for (const ledger of ledgers) while (await reserve(ledger, tenantId, bucket)) sent += 1;
    }
    return sent;
  }

  /** Two rounds without a request, and the second for which who got nothing does not ask again. */
  async function returnUnused(ledgers: readonly QuotaLedger[]): Promise<void> {
    for (const ledger of [...ledgers, ...ledgers]) await ledger.save();
    await new Promise((resolve) => setTimeout(resolve, 1010));
  }

  const sentOf = async (bucket: Bucket): Promise<number> =>
    (await storeOf().read([bucket.id])).get(bucket.id)?.sent ?? 0;

  it('sends what one tenant alone may have, whichever process it asks, and not more', async () => {
    const processes = [start(), start(), start()];
    const bucket = bucketOf(200);
    expect(await sendAll(processes, 'a', bucket)).toBe(190);
    await Promise.resolve(start().requestsOf(bucket, 'a').reserve()).then(fail, (error) => {
      expect(error.details).toMatchObject({
        cause: 'quota',
        quota: { scope: 'tenant', limit: 190, used: 190, resetsAt: expect.stringMatching(/Z$/) },
      });
      expect(error.details.retryAfterSeconds).toBeGreaterThan(0);
    });
    expect(await sentOf(bucket)).toBe(190);
  });

  it('keeps the share of every tenant from a greedy one', async () => {
    const processes = [start(), start()];
    const bucket = bucketOf(100);
    const others = ['b', 'c', 'd', 'e'];
    for (const tenant of others)
      expect(await reserve(processes[0] as QuotaLedger, tenant, bucket)).toBe(true);
    const greedy = await sendAll(processes, 'a', bucket);
    expect(greedy).toBe(20);
    const shares = await Promise.all(others.map((tenant) => sendAll(processes, tenant, bucket)));
    expect(shares).toEqual([19, 19, 19, 19]);
    expect(await sentOf(bucket)).toBe(100);
  });

  it('counts what a killed process has leased as used', async () => {
    const killed = start({ settle: async () => new Map() });
    const bucket = bucketOf(50);
    for (let n = 0; n < 10; n++) expect(await reserve(killed, 'a', bucket)).toBe(true);
    const leased = (await storeOf().read([bucket.id])).get(bucket.id)?.granted ?? 0;
    expect(leased).toBeGreaterThanOrEqual(10);
    open.splice(open.indexOf(killed), 1);
    expect(await sendAll([start()], 'a', bucket)).toBe(50 - leased);
  });

  it('leases for all that wait in a few transactions', async () => {
    let transactions = 0;
    const { grant } = storeOf();
    const ledger = start({
      grant: (...asked) => {
        transactions += 1;
        return grant(...asked);
      },
    });
    const bucket = bucketOf(10_000);
    const all = Array.from({ length: 400 }, (_, n) => reserve(ledger, `tenant-${n % 4}`, bucket));
    expect(await Promise.all(all)).toEqual(all.map(() => true));
    expect(transactions).toBeLessThan(0.4 * 400);
  });

  it('returns a unit whose request never left', async () => {
    const ledger = start();
    const bucket = bucketOf(10);
    const requests = ledger.requestsOf(bucket, 'a');
    for (let n = 0; n < 30; n++) {
      await requests.reserve();
      requests.release();
    }
    expect(await sendAll([ledger], 'a', bucket)).toBe(10);
  });

  it('leaves room for tenants that call for the first time a moment later', async () => {
    const ledger = start({}, undefined, 60_000);
    let greedy = 0;
    for (let n = 0; n < 200; n++) {
      void reserve(ledger, 'greedy', bucketOf(1000)).then(
        () => greedy++,
        () => undefined,
      );
    }
    // A twentieth of the day, divided by three processes.
    await until(() => greedy === 16);
    for (let n = 0; n < 16; n++) expect(await reserve(ledger, 'late', bucketOf(1000))).toBe(true);
    expect(greedy).toBe(16);
  });

  it('remembers some buckets, and returns what it has in hand of the one used longest ago', async () => {
    const ledger = createQuotaLedger({
      store: storeOf(),
      processes: () => 1,
      announce: () => undefined,
      onError: (error) => void errors.push(error),
      newMs: 0,
      maxBuckets: 2,
    });
    open.push(ledger);
    const ids = ['one', 'two', 'three'];
    for (const id of ids) {
      for (let n = 0; n < 20; n++) await reserve(ledger, 'tenant', bucketOf(1000, id));
    }
    const inHandOf = async (id: string) => {
      const reading = (await storeOf().read([id])).get(id);
      return (reading?.granted ?? 0) - (reading?.sent ?? 0);
    };
    await until(async () => (await inHandOf('one')) === 0);
    expect(ledger.inUse().map(({ id }) => id)).toEqual(['three', 'two']);
    expect(await inHandOf('three')).toBeGreaterThan(0);
  });

  it('keeps to the least limit that a server knows of what they share', async () => {
    const ledger = start();
    const limited = bucketOf(10);
    const unlimited = { ...bucketOf(null), serverId: 'two' };
    let sent = 0;
    for (let n = 0; n < 30; n++) {
      if (await reserve(ledger, 'a', n % 2 === 0 ? limited : unlimited)) sent++;
    }
    expect(sent).toBe(10);
    expect(await reserve(ledger, 'b', { ...bucketOf(1000), serverId: 'two' })).toBe(false);
  });

  it('counts requests of which no limit is known, without asking the database', async () => {
    const ledger = start({ grant: () => Promise.reject(new GatewayError('unavailable')) });
    const bucket = bucketOf(null);
    for (let n = 0; n < 7; n++) expect(ledger.requestsOf(bucket, 'a').reserve()).toBeUndefined();
    await ledger.save();
    const use = (await storeOf().read([bucket.id])).get(bucket.id);
    expect(use).toMatchObject({ sent: 7, tenants: [{ tenantId: 'a', sent: 7 }], lastHour: 7 });
  });

  it('spends what it has leased while the database is away, and then sends nothing', async () => {
    let isAway = false;
    const { grant } = storeOf();
    const ledger = start({
      grant: (...asked) =>
        isAway ? Promise.reject(new GatewayError('unavailable')) : grant(...asked),
    });
    const bucket = bucketOf(1000);
    for (let n = 0; n < 20; n++) expect(await reserve(ledger, 'a', bucket)).toBe(true);
    isAway = true;
    const requests = ledger.requestsOf(bucket, 'a');
    const outcomes: unknown[] = [];
    for (let n = 0; n < 100; n++) {
      outcomes.push(
        await Promise.resolve(requests.reserve()).then(
          () => 'sent',
          ({ code }) => code,
        ),
      );
    }
    expect(new Set(outcomes)).toEqual(new Set(['sent', 'overloaded']));
    expect(outcomes.lastIndexOf('sent')).toBeLessThan(outcomes.indexOf('overloaded'));
  });

  it('warns once a day of a quota that runs out within an hour', async () => {
    // Noon in Korea: at midnight, what was used would be of the day before.
    const now = () => Date.parse('2026-01-01T03:00:00Z');
    const [one, other] = [start({}, now), start({}, now)];
    const warnings: QuotaWarning[] = [];
    const warn = (warning: QuotaWarning) => void warnings.push(warning);
    const [slow, fast, own] = [
      bucketOf(100_000),
      bucketOf(60, 'fast'),
      { ...bucketOf(60, 'own'), key: { name: 'KEY', tenantId: 'a', fingerprint: 'f' } },
    ];
    for (let n = 0; n < 10; n++) {
      for (const bucket of [slow, fast, own]) expect(await reserve(one, 'a', bucket)).toBe(true);
    }
    expect(await reserve(other, 'a', fast)).toBe(true);
    for (const ledger of [one, other]) {
      await ledger.save();
      const check = createQuotaWarnings({ ledger, store: storeOf(now), warn });
      await check();
      await check();
    }
    const { remaining = 0, ...warning } = warnings[0] ?? {};
    expect(warnings).toHaveLength(1);
    expect(warning).toEqual({
      name: null,
      dataset: '15084084',
      limit: 60,
      exhaustsAt: expect.stringMatching(/Z$/),
      resetsAt: expect.stringMatching(/Z$/),
    });
    expect(remaining).toBeLessThan(50);
  });

  describe('of a provider that refuses', () => {
    it('sends nothing more in any process, until it answers again', async () => {
      const [one, other] = [start(), start()];
      const bucket = bucketOf(1000);
      const requests = one.requestsOf(bucket, 'a');
      for (const ledger of [one, other]) expect(await reserve(ledger, 'a', bucket)).toBe(true);
      requests.refuse();
      expect(requests.isLow).toBe(true);
      expect(await reserve(one, 'a', bucket)).toBe(false);
      await until(async () => !(await reserve(other, 'b', bucket)));
      requests.accept();
      await until(() => reserve(other, 'b', bucket));
      expect(await reserve(one, 'a', bucket)).toBe(true);
      expect(errors).toEqual([]);
    });

    it('also where no limit is known, and says so', async () => {
      const ledger = start();
      const requests = ledger.requestsOf(bucketOf(null), 'a');
      requests.refuse();
      await until(async () => (await storeOf().read([bucketOf(null).id])).size > 0);
      await ledger.save();
      const quota = { scope: 'key', limit: null, used: 0 };
      await expect(Promise.resolve(requests.reserve())).rejects.toMatchObject({
        details: { quota },
      });
    });
  });

  // PostgreSQL has the clock of the day itself.
  if (backend.name === 'embedded') {
    const MIDNIGHT = Date.UTC(2026, 10, 26, 15); // in Korea
    let now: number;
    beforeEach(() => {
      now = MIDNIGHT - 60_000;
    });

    it('begins a new day five seconds after midnight, and leases nothing before', async () => {
      const bucket = bucketOf(10);
      expect(await sendAll([start({}, () => now)], 'a', bucket)).toBe(10);
      now = MIDNIGHT + 4900;
      const waiting = reserve(
        start({}, () => now),
        'a',
        bucket,
      );
      now = MIDNIGHT + 5000;
      expect(await waiting).toBe(true);
    });

    it('does not go back to a day that is over', async () => {
      const bucket = bucketOf(10);
      now = MIDNIGHT + 10_000;
      expect(await sendAll([start({}, () => now)], 'a', bucket)).toBe(10);
      now = MIDNIGHT - 3_600_000;
      expect(
        await reserve(
          start({}, () => now),
          'a',
          bucket,
        ),
      ).toBe(false);
    });

    it('lets a tenant borrow what another has not called for by the end of the day', async () => {
      const bucket = bucketOf(200);
      now = MIDNIGHT - 20 * 3_600_000;
      expect(
        await reserve(
          start({}, () => now),
          'b',
          bucket,
        ),
      ).toBe(true);
      now = MIDNIGHT - 600_000;
      // 200, less the reserve of 10, the one that the other had, and no claim of it but that.
      expect(await sendAll([start({}, () => now)], 'a', bucket)).toBe(189);
    });

    it('understands a refusal just after midnight as: wait', async () => {
      const bucket = bucketOf(10);
      now = MIDNIGHT + 60_000;
      const requests = start({}, () => now).requestsOf(bucket, 'a');
      await requests.reserve();
      requests.refuse();
      await until(
        async () => ((await storeOf().read([bucket.id])).get(bucket.id)?.closedUntilMs ?? 0) > 0,
      );
      await expect(Promise.resolve().then(() => requests.reserve())).rejects.toMatchObject({
        details: { retryAfterSeconds: 240 },
      });
    });

    it('lets one request try every ten minutes', async () => {
      const bucket = bucketOf(100);
      now = MIDNIGHT - 3_600_000;
      start({}, () => now)
        .requestsOf(bucket, 'a')
        .refuse();
      await until(
        async () => ((await storeOf().read([bucket.id])).get(bucket.id)?.closedUntilMs ?? 0) > 0,
      );
      const [one, other] = [start({}, () => now), start({}, () => now)];
      const refresh = async (isLow: boolean): Promise<void> => {
        const both = [one, other].map((ledger) => ledger.requestsOf(bucket, 'a'));
        for (const ledger of [one, other]) ledger.refresh(bucket.id);
        await until(() => both.every((requests) => requests.isLow === isLow));
      };
      await refresh(true);
      now += 601_000;
      await refresh(false);
      expect([await reserve(one, 'a', bucket), await reserve(other, 'a', bucket)]).toEqual([
        true,
        false,
      ]);
      expect(await reserve(one, 'a', bucket)).toBe(false);
    });
  }
});

const fail = (): never => {
  throw new Error('It should have been refused.');
};
