import type { Kysely } from 'kysely';
import type { Database } from '../../platform/database/database.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { Clock } from '../../platform/kernel/clock.ts';
import { DAY_MS, type SweepFacts } from './audit-horizon.ts';
import { endOfRecords, readDatabaseClock } from './audit-sweeps.ts';

const HOUR_MS = 3_600_000;

export interface SweepClockDeps {
  readonly db: Kysely<Tables>;
  readonly backend: Database['backend'];
  readonly clock: Clock;
  /** Called when the clocks of the gateway and of PostgreSQL differ by more than an hour. */
  readonly onDifference: (byMs: number) => void;
}

/** The time, as far as a sweep may trust it. */
export interface SweepClock {
  /** `clockMs` is the time according to the clocks; `nowMs` is never later than the records make plausible. */
  read(): Promise<Pick<SweepFacts, 'clockMs' | 'nowMs'>>;
}

export function createSweepClock(deps: SweepClockDeps): SweepClock {
  let newest: { readonly ms: number; readonly seenAtMs: number } | undefined;

  /** The earlier of the two clocks: a slow clock keeps records too long, but a fast one would destroy them. */
  const readClocks = async (): Promise<number> => {
    const ownMs = deps.clock.now();
    if (deps.backend === 'embedded') return ownMs;
    const databaseMs = await readDatabaseClock(deps.db);
    const byMs = ownMs - databaseMs;
    if (Math.abs(byMs) > HOUR_MS) deps.onDifference(byMs);
    return Math.min(ownMs, databaseMs);
  };

  /** A day after the newest record, plus the time that has passed since this process first saw the record. */
  const latestPlausible = (newestMs: number): number => {
    const elapsedMs = performance.now();
    if (newest?.ms !== newestMs) newest = { ms: newestMs, seenAtMs: elapsedMs };
    return Math.floor(newestMs + DAY_MS + elapsedMs - newest.seenAtMs);
  };

  return {
    read: async () => {
      const clockMs = await readClocks();
      const newestMs = await endOfRecords(deps.db, 'newest');
      const nowMs = newestMs === null ? clockMs : Math.min(clockMs, latestPlausible(newestMs));
      return { clockMs, nowMs };
    },
  };
}
