/** A point in WGS 84 degrees. */
export interface Point {
  readonly lat: number;
  readonly lon: number;
}

/** What a hit says beside its code and name: what distinguishes it from others. */
export type HitDetails = Readonly<Record<string, string | number>>;

/** A code of a table. All codes are text: leading zeros count. */
export interface CodeHit {
  readonly code: string;
  /** The name in the language of the table, which is Korean unless the table has English names only. */
  readonly name: string;
  readonly kind: string;
  /** The English name that the table has. */
  readonly nameEn?: string;
  /** The Revised Romanisation, computed from `name` where the table has no English name. */
  readonly romanised?: string;
  /** Distance from the point that was asked for, in kilometres. */
  readonly km?: number;
  readonly [detail: string]: string | number | undefined;
}
