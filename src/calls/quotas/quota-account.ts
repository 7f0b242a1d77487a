import { leftOf, newTally, type Tally } from '../../platform/kernel/counter.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { createLru } from '../../platform/kernel/memo.ts';
import { isoTime } from '../../platform/kernel/time.ts';
import type { Bucket } from './quota-bucket.ts';

/** From here on, known questions are answered without a request. */
const LOW_FROM = 0.9;
/** Of a quota, sent by all processes together without having told the database. */
const UNREPORTED_PART = 0.01;
/** Tenants of one bucket that a process remembers. */
const MAX_TENANTS = 1000;

/** What this process knows of a bucket. Times are in milliseconds since the epoch. */
export interface Account {
  bucket: Bucket;
  /** The limit that each server knows, by its id. */
  readonly limits: Map<string, number | null>;
  /** The requests of all tenants today. */
  whole: Tally;
  readonly tenants: ReturnType<typeof createLru<Tally>>;
  /** Tenants that used the bucket within 7 days, and what they have had or still claim, as the database said last. */
  members: number;
  held: number;
  closedUntilMs: number;
  probeAtMs: number;
  usedMs: number;
}

export const newAccount = (bucket: Bucket): Account => ({
  bucket,
  limits: new Map(),
  whole: newTally(bucket.id, 0, 0),
  tenants: createLru<Tally>(MAX_TENANTS),
  members: 1,
  held: 0,
  closedUntilMs: 0,
  probeAtMs: 0,
  usedMs: 0,
});

/** Begins a day. What was sent in it must be read before anything is sent. */
export function openDay(account: Account, endMs: number): void {
  account.tenants.clear();
  account.held = 0;
  account.whole = {
    ...newTally(account.bucket.id, 0, endMs),
    isKnown: false,
    get limit() {
      return account.bucket.limit ?? Number.POSITIVE_INFINITY;
    },
    get slack() {
      return this.limit * UNREPORTED_PART;
    },
  };
}

const SEPARATOR = '\n';

/** The bucket and the tenant of a tally; the whole bucket has no tenant. */
export function partsOf({
  name,
}: Pick<Tally, 'name'>): readonly [bucket: string, tenantId: string] {
  const [bucket = '', tenantId = ''] = name.split(SEPARATOR);
  return [bucket, tenantId];
}

/** The requests of one tenant today. Its limit is its share, and what it may borrow. */
export function tenantOf(account: Account, tenantId: string): Tally {
  const known = account.tenants.get(tenantId);
  if (known) return known;
  const { bucket, whole } = account;
  const tally: Tally = {
    ...newTally(`${bucket.id}${SEPARATOR}${tenantId}`, 0, whole.endMs),
    isKnown: false,
    get limit() {
      const had = this.total + this.own;
      return had + remainderOf(useOf(account), had);
    },
    get slack() {
      return account.whole.slack / Math.max(1, account.members);
    },
  };
  account.tenants.set(tenantId, tally);
  return tally;
}

/** The use of a bucket, as if all that was sent since the last sync had been borrowed. */
const useOf = ({ bucket, whole, members, held }: Account) => ({
  limit: bucket.limit ?? Number.POSITIVE_INFINITY,
  granted: whole.total + whole.own,
  members,
  held: held + whole.own,
});

export const databaseAway = (): GatewayError =>
  new GatewayError(
    'overloaded',
    'The requests to this provider cannot be counted while the database is away. Retry in a moment.',
    { details: { retryAfterSeconds: 1 } },
  );

/** Nothing is left for all tenants, or for this one. */
export function deniedError(account: Account, refusing: Tally, nowMs: number): GatewayError {
  const { bucket, whole, members } = account;
  const limit = bucket.limit ?? 0;
  return exhausted(
    nowMs,
    whole.endMs,
    refusing === whole
      ? { scope: 'key', limit, used: limit }
      : { scope: 'tenant', limit: shareOf(limit, members), used: refusing.total + refusing.own },
  );
}

/** The provider has refused. */
export const closedError = ({ bucket, whole, closedUntilMs }: Account, nowMs: number) =>
  exhausted(nowMs, closedUntilMs, {
    scope: 'key',
    limit: bucket.limit,
    used: whole.total + whole.own,
  });

function exhausted(
  nowMs: number,
  endMs: number,
  used: { scope: 'key' | 'tenant'; limit: number | null; used: number },
): GatewayError {
  const resetsAt = isoTime(endMs);
  const retryAfterSeconds = Math.max(1, Math.ceil((endMs - nowMs) / 1000));
  const whose = used.scope === 'key' ? "The key's quota" : "This tenant's share of the key's quota";
  return new GatewayError(
    'quota_exhausted',
    `${whose} is used up until ${resetsAt}; no request was sent to the provider. Call again then.`,
    { details: { retryAfterSeconds, cause: 'quota', quota: { ...used, resetsAt } } },
  );
}

/** Whether so little is left that a tenant's known questions should be answered without a request. */
export function isLow(account: Account, tenantId: string, nowMs: number): boolean {
  const { bucket, closedUntilMs, probeAtMs, whole, tenants } = account;
  // While the next probe is due, it may be this request.
  if (closedUntilMs > nowMs) return probeAtMs > nowMs;
  if (bucket.limit === null || whole.endMs <= nowMs) return false;
  const tenant = tenants.get(tenantId);
  const isUsedUp = tenant?.isKnown === true && leftOf(tenant) < 1;
  return isUsedUp || whole.total + whole.own >= LOW_FROM * bucket.limit;
}

/** How the requests that a provider allows in a day are shared by tenants (docs/decisions/0026-provider-keys.md). */

/** The use of a bucket today. */
export interface BucketUse {
  /** Requests a day. */
  readonly limit: number;
  /** Sent today, by all tenants. */
  readonly granted: number;
  /** Tenants that used the bucket within 7 days, those that ask included. */
  readonly members: number;
  /** The sum over these of what each has had today or may still claim, whichever is more. */
  readonly held: number;
}

/** Smaller limits have no reserve: it would be a few requests. */
const RESERVED_FROM = 100;
const RESERVED_PART = 0.05;

/** Kept from borrowing, so that a tenant that comes late finds something. */
const reserveOf = (limit: number): number =>
  limit < RESERVED_FROM ? 0 : Math.ceil(limit * RESERVED_PART);

/** What a tenant may have whatever the others do. A tenant that is alone leaves the reserve to the next. */
export const shareOf = (limit: number, members: number): number =>
  members <= 1 ? limit - reserveOf(limit) : Math.floor(limit / members);

/** What a tenant that has had `had` may still have now: the rest of its share, and what it may borrow. */
export function remainderOf(use: BucketUse, had: number): number {
  const own = Math.max(0, shareOf(use.limit, use.members) - had);
  const pool = Math.max(0, use.limit - use.held - reserveOf(use.limit));
  return Math.min(use.limit - use.granted, own + pool);
}
