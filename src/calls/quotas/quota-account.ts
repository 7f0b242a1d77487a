import { GatewayError } from '../../platform/kernel/error.ts';
import { isoTime } from '../../platform/kernel/iso-time.ts';
import type { Bucket } from './quota-bucket.ts';
import type { BucketFacts } from './quota-reading.ts';
import type { Granted, Report } from './quota-store.ts';

/** After so many rounds without a request, units are returned: sooner where they may be missed elsewhere. */
export const IDLE_ROUNDS = 30;
const IDLE_ROUNDS_WHEN_SCARCE = 1;
const SCARCE_FROM = 0.5;
/** From here on, known questions are answered without a request. */
const LOW_FROM = 0.9;
/** How long a tenant that got nothing does not ask again. Others may return units meanwhile. */
export const DENIED_MS = 1000;

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: GatewayError) => void;
}

/** What one tenant has in hand of a bucket. */
export interface Lease {
  readonly tenantId: string;
  inHand: number;
  /** The block that was leased last; 0 = none yet. */
  block: number;
  /** Sent, and not reported yet. */
  sent: number;
  /** The round in which it was used last. */
  usedIn: number;
  /** When it was first used, on the monotonic clock. */
  readonly since: number;
  /** Leased since then. */
  granted: number;
  /** Whether more is asked for although no request waits. */
  isAhead: boolean;
  /** Until when nothing is asked for, on the monotonic clock. */
  deniedUntil: number;
  denial: GatewayError | null;
  readonly waiting: Waiter[];
}

/** What this process knows of a bucket. Times are those of the monotonic clock. */
export interface Account {
  bucket: Bucket;
  /** The limit that each server knows, by its id. */
  readonly limits: Map<string, number | null>;
  readonly leases: Map<string, Lease>;
  facts: BucketFacts | null;
  /** When the day ends, and every lease with it. */
  endsAt: number;
  closedUntil: number;
  probeAt: number;
  usedIn: number;
  isAsking: boolean;
}

export const newAccount = (bucket: Bucket): Account => ({
  bucket,
  limits: new Map(),
  leases: new Map(),
  facts: null,
  endsAt: 0,
  closedUntil: 0,
  probeAt: 0,
  usedIn: 0,
  isAsking: false,
});

export function leaseOf({ leases }: Account, tenantId: string): Lease {
  const known = leases.get(tenantId);
  if (known) return known;
  const lease: Lease = {
    tenantId,
    inHand: 0,
    block: 0,
    sent: 0,
    usedIn: 0,
    since: performance.now(),
    granted: 0,
    isAhead: false,
    deniedUntil: 0,
    denial: null,
    waiting: [],
  };
  leases.set(tenantId, lease);
  return lease;
}

export function use(lease: Lease): void {
  lease.inHand -= 1;
  lease.sent += 1;
}

/** The day is over: what is in hand cannot be used or returned any more. */
export function dropLeases({ leases }: Account): void {
  for (const lease of leases.values())
    Object.assign(lease, { inHand: 0, block: 0, deniedUntil: 0 });
}

export function forgetIdle({ leases }: Account, round: number): void {
  for (const { tenantId, inHand, sent, waiting, usedIn } of leases.values()) {
    const isIdle = inHand === 0 && sent === 0 && waiting.length === 0;
    if (isIdle && round - usedIn > IDLE_ROUNDS) leases.delete(tenantId);
  }
}

/** Takes out of the leases of an account what the database must know. */
export function reportsOf(account: Account, round: number, isLast: boolean): Report[] {
  const { bucket, facts, leases } = account;
  const isScarce = (facts?.granted ?? 0) >= SCARCE_FROM * (bucket.limit ?? 0);
  const idleRounds = isScarce ? IDLE_ROUNDS_WHEN_SCARCE : IDLE_ROUNDS;
  const reports: Report[] = [];
  for (const lease of leases.values()) {
    const isDue = isLast || (round - lease.usedIn > idleRounds && lease.waiting.length === 0);
    const returned = isDue && account.endsAt > performance.now() ? lease.inHand : 0;
    const { tenantId, sent } = lease;
    if (returned > 0) Object.assign(lease, { inHand: 0, block: 0 });
    lease.sent = 0;
    if (sent === 0 && returned === 0) continue;
    reports.push({ bucket, tenantId, endsMs: facts?.endsMs ?? 0, sent, returned });
  }
  return reports;
}

/** `askedAt`: before the database was asked, so that leases end a moment early rather than late. */
export function enterFacts(
  account: Account,
  facts: BucketFacts | undefined,
  askedAt: number,
): void {
  const known = account.facts?.endsMs ?? 0;
  // A day that is over does not begin again.
  if (!facts || facts.endsMs < known) return;
  if (facts.endsMs > known) dropLeases(account);
  const at = (timeMs: number): number => askedAt + timeMs - facts.nowMs;
  account.facts = facts;
  account.endsAt = at(facts.endsMs);
  account.closedUntil = facts.closedUntilMs === null ? 0 : at(facts.closedUntilMs);
  account.probeAt = facts.probeAtMs === null ? 0 : at(facts.probeAtMs);
}

export function enterGranted(account: Account, granted: Granted): void {
  const lease = leaseOf(account, granted.tenantId);
  lease.inHand += granted.units;
  lease.granted += granted.units;
  if (granted.units > 0) lease.block = granted.units;
  while (lease.inHand > 0) {
    const next = lease.waiting.shift();
    if (!next) return;
    use(lease);
    next.resolve();
  }
  if (granted.units > 0) return;
  lease.denial = deniedError(account, granted);
  lease.deniedUntil = performance.now() + DENIED_MS;
  rejectAll(lease, lease.denial);
}

/** Presets that were loaded again give no limit any more. */
export function serveAll(lease: Lease): void {
  lease.sent += lease.waiting.length;
  for (const { resolve } of lease.waiting.splice(0)) resolve();
}

export function rejectAll({ waiting }: Lease, error: GatewayError): void {
  for (const { reject } of waiting.splice(0)) reject(error);
}

export const databaseAway = (): GatewayError =>
  new GatewayError(
    'overloaded',
    'The requests to this provider cannot be counted while the database is away. Retry in a moment.',
    { details: { retryAfterSeconds: 1 } },
  );

/** Nothing is left for this tenant, or for all. */
function deniedError({ bucket, facts }: Account, { had, share }: Granted): GatewayError {
  const limit = bucket.limit ?? 0;
  const isUsedUp = (facts?.granted ?? 0) >= limit;
  return exhausted(facts, {
    scope: isUsedUp ? 'key' : 'tenant',
    limit: isUsedUp ? limit : share,
    used: isUsedUp ? limit : had,
  });
}

/** The provider has refused. */
export const closedError = ({ bucket, facts }: Account): GatewayError =>
  exhausted(facts && { ...facts, endsMs: facts.closedUntilMs ?? facts.endsMs }, {
    scope: 'key',
    limit: bucket.limit,
    used: facts?.sent ?? 0,
  });

function exhausted(
  facts: BucketFacts | null,
  used: { scope: 'key' | 'tenant'; limit: number | null; used: number },
): GatewayError {
  const nowMs = facts?.nowMs ?? 0;
  const endsMs = facts?.endsMs ?? nowMs + DENIED_MS;
  const resetsAt = isoTime(endsMs);
  const retryAfterSeconds = Math.max(1, Math.ceil((endsMs - nowMs) / 1000));
  const whose = used.scope === 'key' ? "The key's quota" : "This tenant's share of the key's quota";
  return new GatewayError(
    'quota_exhausted',
    `${whose} is used up until ${resetsAt}; no request was sent to the provider. Call again then.`,
    { details: { retryAfterSeconds, cause: 'quota', quota: { ...used, resetsAt } } },
  );
}

/** Whether so little is left that a tenant's known questions should be answered without a request. */
export function isLow(account: Account, tenantId: string): boolean {
  const { bucket, closedUntil, probeAt, endsAt, facts, leases } = account;
  const now = performance.now();
  // When the next request may try whether the provider still refuses, a known question must do, too.
  if (closedUntil > now) return probeAt > now;
  if (bucket.limit === null || endsAt <= now) return false;
  const isDenied = (leases.get(tenantId)?.deniedUntil ?? 0) > now;
  return isDenied || (facts?.granted ?? 0) >= LOW_FROM * bucket.limit;
}
