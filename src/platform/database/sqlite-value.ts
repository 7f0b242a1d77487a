import type { SQLOutputValue } from 'node:sqlite';

/** A whole number that SQLite returned. Throws TypeError for any other value. */
export function toInteger(value: SQLOutputValue | undefined): number {
  if (typeof value === 'number') return value;
  throw new TypeError(`SQLite returned ${typeof value} instead of a number.`);
}
