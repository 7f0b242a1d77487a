import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  describeStores,
  openTestDatabase,
  type TestPlace,
} from '../../../test/support/databases.ts';
import { until } from '../../../test/support/until.ts';
import type { Database } from '../../platform/database/database.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { Bucket } from './quota-bucket.ts';
import { createQuotaLedger, type QuotaLedger } from './quota-ledger.ts';
import { createQuotaStore, type QuotaStore } from './quota-store.ts';
import { createQuotaWarnings, type QuotaWarning } from './quotas.ts';

const bucketOf = (limit: number | null, id = 'key GET /operation'): Bucket => ({
  id,
  limit,
  zone: 'Asia/Seoul',
  key: undefined,
  serverId: 'one',
  dataset: '15084084',
});

/** A midnight in Korea, and the noon before it. */
const MIDNIGHT = Date.UTC(2026, 10, 26, 15);
const NOON = MIDNIGHT - 12 * 3_600_000;

describeStores('the ledger of quotas', (backend) => {
  let place: TestPlace;
  let database: Database;
  let now: number;
  const open: QuotaLedger[] = [];
  const errors: unknown[] = [];
  const clock = { now: () => now };

  const storeOf = (): QuotaStore => createQuotaStore({ database, clock });

  /** One of three processes. */
  function start(over: Partial<QuotaStore> = {}, processes = 3, maxBuckets = 100): QuotaLedger {
    const ledger = createQuotaLedger({
      store: { ...storeOf(), ...over },
      clock,
      processes: () => processes,
      announce: () => {
        for (const other of open) if (other !== ledger) other.refresh('key GET /operation');
      },
      onError: (error) => void errors.push(error),
      maxBuckets,
    });
    open.push(ledger);
    return ledger;
  }

  beforeEach(async () => {
    now = NOON;
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

  /** Sends until every process refuses; returns how many were sent. */
  async function sendAll(ledgers: readonly QuotaLedger[], tenantId: string, bucket: Bucket) {
    let sent = 0;
    for (const ledger of ledgers) {
      while (await reserve(ledger, tenantId, bucket)) sent += 1;
      await ledger.save();
    }
    return sent;
  }

  const readingOf = async ({ id }: Pick<Bucket, 'id'>) => (await storeOf().read([id])).get(id);
  const sentOf = async (bucket: Pick<Bucket, 'id'>): Promise<number> =>
    (await readingOf(bucket))?.sent ?? 0;

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

  it.each([50, 1000])(
    'forgets at most a hundredth of %i with a process that is killed',
    async (limit) => {
      const killed = start();
      const bucket = bucketOf(limit);
      for (let n = 0; n < 40; n++) expect(await reserve(killed, 'a', bucket)).toBe(true);
      // What it has not reported by now would be forgotten.
      expect(await sentOf(bucket)).toBeGreaterThanOrEqual(40 - limit / 100);
    },
  );

  it.each([90, 1000])(
    'sends at most a hundredth more than %i with three processes',
    async (limit) => {
      const processes = [start(), start(), start()];
      const bucket = bucketOf(limit);
      const tenants = ['a', 'b', 'c', 'd'];
      const all = processes.flatMap((process) =>
        tenants.flatMap((tenant) =>
          Array.from({ length: limit / 2 }, () => reserve(process, tenant, bucket)),
        ),
      );
      const sent = (await Promise.all(all)).filter(Boolean).length;
      expect(sent).toBeGreaterThanOrEqual(0.94 * limit);
      expect(sent).toBeLessThanOrEqual(1.01 * limit);
    },
  );

  it('asks for all that wait in a few queries', async () => {
    let queries = 0;
    const { report } = storeOf();
    const ledger = start({
      report: (...asked) => {
        queries += 1;
        return report(...asked);
      },
    });
    const bucket = bucketOf(10_000);
    const all = Array.from({ length: 400 }, (_, n) => reserve(ledger, `tenant-${n % 4}`, bucket));
    expect(await Promise.all(all)).toEqual(all.map(() => true));
    expect(queries).toBeLessThan(40);
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

  it('leaves its share to a tenant that calls for the first time a moment later', async () => {
    const ledger = start();
    const bucket = bucketOf(1000);
    const greedy = Array.from({ length: 1000 }, () => reserve(ledger, 'greedy', bucket));
    await until(async () => (await sentOf(bucket)) > 0);
    const late = Array.from({ length: 400 }, () => reserve(ledger, 'late', bucket));
    expect(await Promise.all(late)).toEqual(late.map(() => true));
    const sent = (await Promise.all(greedy)).filter(Boolean).length;
    expect(sent).toBeLessThanOrEqual(600);
  });

  it('remembers some buckets, and reports what was sent of the one used longest ago', async () => {
    const ledger = start({}, 1, 2);
    for (const id of ['one', 'two', 'three']) {
      for (let n = 0; n < 15; n++) await reserve(ledger, 'tenant', bucketOf(1000, id));
    }
    expect(ledger.inUse().map(({ id }) => id)).toEqual(['three', 'two']);
    await ledger.save();
    expect(await sentOf({ id: 'one' })).toBe(15);
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
    const ledger = start();
    const bucket = bucketOf(null);
    for (let n = 0; n < 7; n++) expect(ledger.requestsOf(bucket, 'a').reserve()).toBeUndefined();
    await ledger.save();
    expect(await readingOf(bucket)).toMatchObject({
      sent: 7,
      tenants: [{ tenantId: 'a', sent: 7 }],
    });
  });

  it('sends its part of a hundredth while the database is away, and then nothing', async () => {
    let isAway = false;
    const { report } = storeOf();
    const ledger = start({
      report: (...asked) =>
        isAway ? Promise.reject(new GatewayError('unavailable')) : report(...asked),
    });
    const bucket = bucketOf(1000);
    for (let n = 0; n < 20; n++) expect(await reserve(ledger, 'a', bucket)).toBe(true);
    await ledger.save();
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
    expect(outcomes.slice(0, 4)).toEqual(['sent', 'sent', 'sent', 'overloaded']);
    expect(new Set(outcomes.slice(3))).toEqual(new Set(['overloaded']));
    isAway = false;
    await ledger.save();
    expect(await sentOf(bucket)).toBe(23);
  });

  it('warns once a day when 80 % of a quota is used, and again at 95 %', async () => {
    const [one, other] = [start(), start()];
    const warnings: QuotaWarning[] = [];
    const warn = (warning: QuotaWarning) => void warnings.push(warning);
    const [little, most, own] = [
      bucketOf(1000),
      bucketOf(20, 'most'),
      { ...bucketOf(20, 'own'), key: { name: 'KEY', tenantId: 'a', fingerprint: 'f' } },
    ];
    const checkAll = async (): Promise<void> => {
      for (const ledger of [one, other]) {
        await ledger.save();
        await createQuotaWarnings({ ledger, store: storeOf(), warn })();
      }
    };
    for (let n = 0; n < 16; n++) {
      for (const bucket of [little, most, own]) expect(await reserve(one, 'a', bucket)).toBe(true);
    }
    expect(await reserve(other, 'a', most)).toBe(true);
    await checkAll();
    await checkAll();
    expect(warnings).toEqual([
      {
        ...{ name: null, dataset: '15084084', limit: 20, percent: 80 },
        remaining: 3,
        resetsAt: expect.stringMatching(/Z$/),
      },
    ]);
    await sendAll([one, other], 'a', most);
    await checkAll();
    await checkAll();
    expect(warnings.map(({ percent, remaining }) => [percent, remaining])).toEqual([
      [80, 3],
      [95, 0],
    ]);
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
      await until(async () => ((await readingOf(bucketOf(null)))?.closedUntilMs ?? 0) > 0);
      const quota = { scope: 'key', limit: null, used: 0 };
      await expect(Promise.resolve(requests.reserve())).rejects.toMatchObject({
        details: { quota },
      });
    });
  });

  it('begins a new day five seconds after midnight, and sends nothing before', async () => {
    const bucket = bucketOf(10);
    expect(await sendAll([start()], 'a', bucket)).toBe(10);
    now = MIDNIGHT + 4900;
    const waiting = reserve(start(), 'a', bucket);
    now = MIDNIGHT + 5000;
    expect(await waiting).toBe(true);
    expect(await sentOf(bucket)).toBe(1);
  });

  it('does not go back to a day that is over', async () => {
    const bucket = bucketOf(10);
    now = MIDNIGHT + 10_000;
    expect(await sendAll([start()], 'a', bucket)).toBe(10);
    now = MIDNIGHT - 3_600_000;
    expect(await reserve(start(), 'a', bucket)).toBe(false);
  });

  it('lets a tenant borrow what another has not called for by the end of the day', async () => {
    const bucket = bucketOf(200);
    now = MIDNIGHT - 20 * 3_600_000;
    expect(await reserve(start(), 'b', bucket)).toBe(true);
    now = MIDNIGHT - 600_000;
    // 200, less the reserve of 10, the one that the other had, and no claim of it but that.
    expect(await sendAll([start()], 'a', bucket)).toBe(189);
  });

  it('understands a refusal just after midnight as: wait', async () => {
    const bucket = bucketOf(10);
    now = MIDNIGHT + 60_000;
    const requests = start().requestsOf(bucket, 'a');
    await requests.reserve();
    requests.refuse();
    await until(async () => ((await readingOf(bucket))?.closedUntilMs ?? 0) > 0);
    await expect(Promise.resolve().then(() => requests.reserve())).rejects.toMatchObject({
      details: { retryAfterSeconds: 240 },
    });
  });

  it('lets one request try every ten minutes', async () => {
    const bucket = bucketOf(100);
    start().requestsOf(bucket, 'a').refuse();
    await until(async () => ((await readingOf(bucket))?.closedUntilMs ?? 0) > 0);
    const [one, other] = [start(), start()];
    for (const ledger of [one, other]) {
      expect(await reserve(ledger, 'a', bucket)).toBe(false);
      expect(ledger.requestsOf(bucket, 'a').isLow).toBe(true);
    }
    now += 601_000;
    expect(one.requestsOf(bucket, 'a').isLow).toBe(false);
    expect([await reserve(one, 'a', bucket), await reserve(other, 'a', bucket)]).toEqual([
      true,
      false,
    ]);
    expect(await reserve(one, 'a', bucket)).toBe(false);
  });
});

const fail = (): never => {
  throw new Error('It should have been refused.');
};
