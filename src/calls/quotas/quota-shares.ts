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
export const reserveOf = (limit: number): number =>
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
