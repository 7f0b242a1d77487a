import { setTimeout as sleep } from 'node:timers/promises';
import type { Awaitable } from '../../platform/kernel/awaitable.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { createLru } from '../../platform/kernel/lru.ts';
import { repeat } from '../../platform/kernel/repeat.ts';
import type { RequestQuota } from '../../tools/tool-connection.ts';
import {
  type Account,
  closedError,
  DENIED_MS,
  databaseAway,
  dropLeases,
  enterFacts,
  enterGranted,
  forgetIdle,
  IDLE_ROUNDS,
  isLow,
  type Lease,
  leaseOf,
  newAccount,
  rejectAll,
  reportsOf,
  serveAll,
  use,
} from './quota-account.ts';
import type { Bucket } from './quota-bucket.ts';
import type { BucketFacts } from './quota-reading.ts';
import { NEW_DAY_AFTER_MS, type QuotaStore } from './quota-store.ts';

/** Buckets that a process remembers. */
export const MAX_BUCKETS = 5000;
/** How often requests are reported, and what other processes did is read. */
const SETTLE_MS = 1000;
/** Smaller blocks are not fetched ahead: a process that is killed would take a second one with it. */
const AHEAD_FROM = 8;
/** A bucket that was not used for so many rounds has no pace. */
const PACE_ROUNDS = 120;
/** How long requests wait for the database. */
const WAIT_MS = 2000;

export interface QuotaLedgerDeps {
  readonly store: QuotaStore;
  /** How many processes share the ledger. */
  readonly processes: () => number;
  /** Tells the other processes that the facts of a bucket have changed. */
  readonly announce: (bucketId: string) => void;
  readonly onError: (error: unknown) => void;
  /** How long a tenant is new to a bucket, in milliseconds. Default: a second. */
  readonly newMs?: number;
  /** Buckets that are remembered. Default: 5,000. */
  readonly maxBuckets?: number;
}

export type QuotaLedger = ReturnType<typeof createQuotaLedger>;

/**
 * Counts the requests that are sent to providers, and sends none that a quota does not allow (docs/decisions/0026). A request
 * uses a unit that this process has leased from the database, where leased means used. `close` returns what was not used.
 */
export function createQuotaLedger(deps: QuotaLedgerDeps) {
  const accounts = createAccounts(deps);
  const actions = createActions(deps, accounts);
  const stop = repeat(accounts.save, () => SETTLE_MS);
  return {
    /** How the requests of one call are counted. */
    requestsOf: (bucket: Bucket, tenantId: string): CountedRequests =>
      new CountedRequests(actions, accounts.of(bucket), tenantId),
    /** Another process has changed what is known of a bucket. */
    refresh: (bucketId: string): void => accounts.refresh(bucketId),
    /** The buckets that this process has used within two minutes. */
    inUse: accounts.inUse,
    /** Reports now. Never rejects. */
    save: accounts.save,
    close: async (): Promise<void> => {
      stop();
      await accounts.end();
    },
  };
}

/** Servers whose limits of one bucket are remembered. */
const MAX_SERVERS = 32;

/** What one server knows holds for all that send to the same operation with the same key. */
function leastOf(limits: Iterable<number | null>): number | null {
  const known = [...limits].filter((limit) => limit !== null);
  return known.length === 0 ? null : Math.min(...known);
}

/** The accounts of the buckets in use, and their settling with the database. */
function createAccounts({ store, onError, maxBuckets = MAX_BUCKETS }: QuotaLedgerDeps) {
  let round = 1;
  const known = createLru<Account>(maxBuckets, {
    dispose: (account, _id, reason) => {
      if (reason === 'evict') void settle([account], true);
    },
  });

  function of(bucket: Bucket): Account {
    const account = known.get(bucket.id) ?? newAccount(bucket);
    const { limits } = account;
    // Its limit may be another one now.
    if (limits.get(bucket.serverId) !== bucket.limit || account.facts === null) {
      if (limits.size >= MAX_SERVERS) limits.clear();
      limits.set(bucket.serverId, bucket.limit);
      account.bucket = { ...bucket, limit: leastOf(limits.values()) };
      known.set(bucket.id, account);
    }
    return account;
  }

  async function settle(settled: readonly Account[], isLast: boolean): Promise<void> {
    const reports = settled.flatMap((account) => reportsOf(account, round, isLast));
    const watched = settled.filter(({ usedIn }) => !isLast && round - usedIn <= IDLE_ROUNDS);
    if (reports.length === 0 && watched.length === 0) return;
    const askedAt = performance.now();
    try {
      const others = watched.map(({ bucket }) => bucket);
      const facts = await store.settle(reports, others);
      for (const account of settled) enterFacts(account, facts.get(account.bucket.id), askedAt);
    } catch (error) {
      onError(error);
      // What was returned may have arrived, so it is not used either.
      for (const { bucket, tenantId, sent } of reports) leaseOf(of(bucket), tenantId).sent += sent;
    }
  }

  return {
    of,
    /** Notes that an account is used in this round. */
    touch(account: Account, lease: Lease): void {
      account.usedIn = round;
      lease.usedIn = round;
    },
    refresh(bucketId: string): void {
      const account = known.get(bucketId);
      if (account) void settle([account], false);
    },
    save(): Promise<void> {
      round += 1;
      const all = [...known.values()];
      for (const account of all) forgetIdle(account, round);
      return settle(all, false);
    },
    end: (): Promise<void> => settle([...known.values()], true),
    inUse: (): Bucket[] =>
      [...known.values()]
        .filter(({ usedIn }) => usedIn > 0 && round - usedIn <= PACE_ROUNDS)
        .map(({ bucket }) => bucket),
  };
}

/** What the requests of calls do with accounts. */
function createActions(deps: QuotaLedgerDeps, accounts: ReturnType<typeof createAccounts>) {
  const { store, announce, onError } = deps;
  const ask = createAsking(deps);

  function take(account: Account, lease: Lease, now: number): Awaitable<void> {
    if (account.bucket.limit === null) {
      lease.sent += 1;
      return;
    }
    if (account.endsAt <= now) dropLeases(account);
    // No request overtakes one that waits.
    if (lease.inHand > 0 && lease.waiting.length === 0) {
      use(lease);
      if (lease.block >= AHEAD_FROM && lease.inHand <= lease.block >> 1) lease.isAhead = true;
      if (lease.isAhead) ask(account);
      return;
    }
    if (lease.denial && lease.deniedUntil > now) throw lease.denial;
    return new Promise((resolve, reject) => {
      lease.waiting.push({ resolve, reject });
      ask(account);
    });
  }

  /** Lets one request try whether the provider still refuses. */
  async function probe(account: Account, lease: Lease, now: number): Promise<void> {
    if (account.probeAt > now) throw closedError(account);
    account.probeAt = account.closedUntil;
    const isOurs = await store.takeProbe(account.bucket).catch(() => false);
    if (!isOurs) throw closedError(account);
    await take(account, lease, performance.now());
  }

  /** Changes the bucket in the database, and tells the others. */
  async function change(account: Account, work: () => Promise<BucketFacts | undefined>) {
    const askedAt = performance.now();
    try {
      enterFacts(account, await work(), askedAt);
      announce(account.bucket.id);
    } catch (error) {
      onError(error);
    }
  }

  return {
    reserve(account: Account, tenantId: string): Awaitable<void> {
      const lease = leaseOf(account, tenantId);
      accounts.touch(account, lease);
      const now = performance.now();
      return account.closedUntil > now ? probe(account, lease, now) : take(account, lease, now);
    },
    refuse(account: Account): void {
      account.closedUntil = performance.now() + DENIED_MS;
      account.probeAt = account.closedUntil;
      void change(account, () => store.close(account.bucket));
    },
    accept(account: Account): void {
      account.closedUntil = 0;
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
    const { bucket, endsAt } = this.#account;
    const lease = leaseOf(this.#account, this.#tenantId);
    if (lease.sent === 0) return;
    lease.sent -= 1;
    if (bucket.limit !== null && endsAt > performance.now()) lease.inHand += 1;
  }

  /** Whether so little is left that a known question should be answered without a request. */
  get isLow(): boolean {
    return isLow(this.#account, this.#tenantId);
  }

  /** The provider has refused a request because its quota is used up, although the ledger allowed it. */
  refuse(): void {
    this.#actions.refuse(this.#account);
  }

  /** The provider has answered a request. */
  accept(): void {
    if (this.#account.closedUntil !== 0) this.#actions.accept(this.#account);
  }
}

/** Others may be about to call for the first time, too: until then, a tenant gets no more than this part of a day. */
const NEW_MS = 1000;
const PART_WHILE_NEW = 0.05;
/** The pause before a tenant that waits because it is new asks again. */
const NEW_PAUSE_MS = 20;

/** Creates what leases units from the database, for all tenants that wait for a bucket together. */
function createAsking({ store, processes, newMs = NEW_MS }: QuotaLedgerDeps) {
  /** What is asked for: twice the last block, but for a new tenant what waits and no more. */
  function wantedOf({ bucket }: Account, { block, since, granted, waiting }: Lease): number {
    const next = 2 * block || 1;
    if (performance.now() - since >= newMs) return next;
    const most = Math.max(1, ((bucket.limit ?? 0) * PART_WHILE_NEW) / processes());
    return Math.min(next, Math.max(0, Math.floor(most) - granted), waiting.length);
  }

  /** Resolves once those that waited have been served. */
  async function askOnce(account: Account): Promise<void> {
    const leases = [...account.leases.values()];
    if (account.bucket.limit === null) {
      for (const lease of leases) serveAll(lease);
      return;
    }
    const asking = leases.filter(({ isAhead, waiting }) => isAhead || waiting.length > 0);
    const askedAt = performance.now();
    const wanted = asking
      .map((lease) => ({ tenantId: lease.tenantId, wanted: wantedOf(account, lease) }))
      .filter((each) => each.wanted > 0);
    if (wanted.length === 0) return sleep(NEW_PAUSE_MS, undefined, { ref: false });
    const { facts, granted } = await within(store.grant(account.bucket, wanted, processes()));
    enterFacts(account, facts, askedAt);
    for (const lease of asking) lease.isAhead = false;
    if (facts.nowMs >= facts.endsMs) {
      await sleep(facts.endsMs + NEW_DAY_AFTER_MS - facts.nowMs, undefined, { ref: false });
      return;
    }
    for (const each of granted) enterGranted(account, each);
  }

  async function run(account: Account): Promise<void> {
    account.isAsking = true;
    try {
      do await askOnce(account);
      while (hasWaiting(account));
    } catch {
      for (const lease of account.leases.values()) {
        lease.isAhead = false;
        rejectAll(lease, databaseAway());
      }
    }
    account.isAsking = false;
  }

  return (account: Account): void => {
    if (!account.isAsking) void run(account);
  };
}

const hasWaiting = ({ leases }: Account): boolean =>
  [...leases.values()].some(({ waiting }) => waiting.length > 0);

/** Rejects with `unavailable` when the database does not respond in time. What it leases later is not used. */
async function within<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new GatewayError('unavailable')), WAIT_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
