import { setTimeout as sleep } from 'node:timers/promises';
import { type Awaitable, whenReady } from '../../platform/kernel/awaitable.ts';
import {
  type Counter,
  createCounter,
  type SyncTallies,
  type Tally,
} from '../../platform/kernel/counter.ts';
import { createLru } from '../../platform/kernel/memo.ts';
import { type Clock, zonedDay } from '../../platform/kernel/time.ts';
import type { RequestQuota } from '../../tools/tool-connection.ts';
import {
  type Account,
  closedError,
  databaseAway,
  deniedError,
  isLow,
  newAccount,
  openDay,
  partsOf,
  tenantOf,
} from './quota-account.ts';
import type { Bucket } from './quota-bucket.ts';
import type { QuotaStore } from './quota-store.ts';

/** Buckets that a process remembers. */
export const MAX_BUCKETS = 5000;
/** How often requests are reported, and what other processes did is read. */
const SYNC_MS = 1000;
/** Requests of the day before may be under way for so long after midnight. */
export const NEW_DAY_AFTER_MS = 5000;
/** How long a bucket counts as being in use. */
const IN_USE_MS = 120_000;

export interface QuotaLedgerDeps {
  readonly store: Pick<QuotaStore, 'report' | 'close' | 'reopen' | 'takeProbe'>;
  readonly clock: Clock;
  /** How many processes share the ledger. */
  readonly processes: () => number;
  /** Tells the other processes that the state of a bucket has changed. */
  readonly announce: (bucketId: string) => void;
  readonly onError: (error: unknown) => void;
  /** Buckets that are remembered. Default: 5,000. */
  readonly maxBuckets?: number;
}

export type QuotaLedger = ReturnType<typeof createQuotaLedger>;

/**
 * Counts the requests that are sent to providers, and sends none that a quota does not allow (docs/decisions/0026). `close`
 * reports what was sent.
 */
export function createQuotaLedger(deps: QuotaLedgerDeps) {
  const { clock, processes, maxBuckets = MAX_BUCKETS } = deps;
  const accounts = createLru<Account>(maxBuckets);
  const counter = createCounter({
    sync: createSync(deps, accounts),
    replicas: processes,
    intervalMs: SYNC_MS,
    now: clock.now,
    isStrict: true,
  });
  const actions = createActions(deps, counter);

  function accountOf(bucket: Bucket): Account {
    const account = accounts.get(bucket.id) ?? newAccount(bucket);
    const { limits } = account;
    // Its limit may be another one now.
    if (limits.get(bucket.serverId) !== bucket.limit) {
      if (limits.size >= MAX_SERVERS) limits.clear();
      limits.set(bucket.serverId, bucket.limit);
      account.bucket = { ...bucket, limit: leastOf(limits.values()) };
      accounts.set(bucket.id, account);
    }
    return account;
  }

  return {
    /** How the requests of one call are counted. */
    requestsOf: (bucket: Bucket, tenantId: string): CountedRequests =>
      new CountedRequests(actions, accountOf(bucket), tenantId),
    /** Another process has changed what is known of a bucket. */
    refresh(bucketId: string): void {
      const account = accounts.get(bucketId);
      if (!account || account.usedMs === 0) return;
      counter.touch(account.whole);
      void counter.save();
    },
    /** The buckets that this process has used within two minutes. */
    inUse: (): Bucket[] =>
      [...accounts.values()]
        .filter(({ usedMs }) => clock.now() - usedMs <= IN_USE_MS)
        .map(({ bucket }) => bucket),
    /** Reports now. Never rejects. */
    save: counter.save,
    close: counter.close,
  };
}

/** Servers whose limits of one bucket are remembered. */
const MAX_SERVERS = 32;

/** If several presets state a limit for one bucket, the lowest applies. */
function leastOf(limits: Iterable<number | null>): number | null {
  const known = [...limits].filter((limit) => limit !== null);
  return known.length === 0 ? null : Math.min(...known);
}

/** Creates what reports requests, and enters what the database says of their buckets. */
function createSync(
  { store, onError }: QuotaLedgerDeps,
  accounts: ReturnType<typeof createLru<Account>>,
): SyncTallies {
  return async (reports) => {
    const uses = reports.map(({ tally, points }) => {
      const [bucket, tenantId] = partsOf(tally);
      return { bucket, tenantId, endMs: tally.endMs, sent: points };
    });
    const limitOf = (id: string): number | null => accounts.peek(id)?.bucket.limit ?? null;
    try {
      const { totals, states } = await store.report(uses, limitOf);
      for (const [id, state] of states) Object.assign(accounts.peek(id) ?? {}, state);
      return totals;
    } catch (error) {
      onError(error);
      throw error;
    }
  };
}

/** What the requests of calls do with accounts. */
function createActions({ store, announce, onError, clock }: QuotaLedgerDeps, counter: Counter) {
  function reserve(account: Account, tenantId: string): Awaitable<void> {
    const nowMs = clock.now();
    account.usedMs = nowMs;
    if (account.whole.endMs <= nowMs) {
      const { startMs, endMs } = zonedDay(nowMs, account.bucket.zone);
      const waitMs = startMs + NEW_DAY_AFTER_MS - nowMs;
      if (waitMs > 0)
        return sleep(waitMs, undefined, { ref: false }).then(() => reserve(account, tenantId));
      openDay(account, endMs);
    }
    if (account.closedUntilMs > nowMs) return probe(account, tenantId, nowMs);
    return whenReady(take(account, tenantId), () => {
      // A process that had not used the bucket learns only now that the provider refuses.
      if (account.closedUntilMs <= nowMs) return;
      release(account, tenantId);
      throw closedError(account, nowMs);
    });
  }

  function release(account: Account, tenantId: string): void {
    if (account.whole.endMs > clock.now())
      counter.add(account.whole, tenantOf(account, tenantId), -1);
  }

  function take(account: Account, tenantId: string): Awaitable<void> {
    const { bucket, whole } = account;
    const tenant = tenantOf(account, tenantId);
    if (bucket.limit === null) {
      counter.add(whole, tenant, 1);
      return;
    }
    const admit = (refusing: Tally | null): void => {
      if (refusing) throw deniedError(account, refusing, clock.now());
    };
    const fail = (): never => {
      throw databaseAway();
    };
    return whenReady(counter.take(whole, tenant, 1), admit, fail);
  }

  /** Lets one request try whether the provider still refuses. */
  async function probe(account: Account, tenantId: string, nowMs: number): Promise<void> {
    // Learns when the provider answers others again.
    counter.touch(account.whole);
    if (account.probeAtMs > nowMs) throw closedError(account, nowMs);
    account.probeAtMs = account.closedUntilMs;
    const isOurs = await store.takeProbe(account.bucket).catch(() => false);
    if (!isOurs) throw closedError(account, nowMs);
    await take(account, tenantId);
  }

  /** Changes the bucket in the database, and tells the others. */
  async function change(account: Account, work: () => Promise<object>): Promise<void> {
    try {
      Object.assign(account, await work());
      announce(account.bucket.id);
    } catch (error) {
      onError(error);
    }
  }

  return {
    reserve,
    now: clock.now,
    release,
    refuse(account: Account): void {
      account.closedUntilMs = clock.now() + SYNC_MS;
      account.probeAtMs = account.closedUntilMs;
      void change(account, () => store.close(account.bucket));
    },
    accept(account: Account): void {
      account.closedUntilMs = 0;
      void change(account, () => store.reopen(account.bucket));
    },
  };
}

type Actions = ReturnType<typeof createActions>;

/** The requests of one call. */
export class CountedRequests implements RequestQuota {
  readonly #actions: Actions;
  readonly #account: Account;
  readonly #tenantId: string;

  constructor(actions: Actions, account: Account, tenantId: string) {
    this.#actions = actions;
    this.#account = account;
    this.#tenantId = tenantId;
  }

  reserve(): Awaitable<void> {
    return this.#actions.reserve(this.#account, this.#tenantId);
  }

  release(): void {
    this.#actions.release(this.#account, this.#tenantId);
  }

  /** Whether so little is left that a known question should be answered without a request. */
  get isLow(): boolean {
    return isLow(this.#account, this.#tenantId, this.#actions.now());
  }

  /** The provider has refused a request because its quota is used up, although the ledger allowed it. */
  refuse(): void {
    this.#actions.refuse(this.#account);
  }

  /** The provider has answered a request. */
  accept(): void {
    if (this.#account.closedUntilMs !== 0) this.#actions.accept(this.#account);
  }
}
