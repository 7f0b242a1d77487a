/** How the requests that a provider allows in a day are shared by tenants (docs/decisions/0026-provider-keys.md). */

/** What the database knows of a bucket while its row is locked. */
export interface BucketUse {
  /** Requests a day. */
  readonly limit: number;
  /** Leased today, by all tenants. */
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

/** No block is more than this part of what is left for the tenant, for each process. */
const PART_OF_REMAINDER = 4;

/** The units that a tenant gets now: what it asks for, within what it may have. */
export function unitsFor(
  use: BucketUse,
  { had, wanted }: { readonly had: number; readonly wanted: number },
  processes: number,
): number {
  const remainder = remainderOf(use, had);
  const cap = Math.max(1, Math.floor(remainder / (PART_OF_REMAINDER * Math.max(1, processes))));
  return Math.max(0, Math.min(wanted, cap, remainder));
}

/** The use after a tenant that is calling now has got units. Its claim is its share. */
export function afterGrant(
  use: BucketUse,
  { had, units }: { readonly had: number; readonly units: number },
): BucketUse {
  const share = shareOf(use.limit, use.members);
  const heldMore = Math.max(had + units, share) - Math.max(had, share);
  return { ...use, granted: use.granted + units, held: use.held + heldMore };
}
