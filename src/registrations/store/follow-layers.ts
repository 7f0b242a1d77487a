import type { Kysely } from 'kysely';
import type { Tables } from '../../platform/database/tables.ts';
import type { Closeable } from '../../platform/kernel/closeable.ts';
import { repeat } from '../../platform/kernel/repeat.ts';
import { createVersionFollower } from '../../platform/kernel/version-follower.ts';
import { changedLayers, readVersion } from './layers.ts';

export interface LayerFollowerDeps {
  readonly db: Kysely<Tables>;
  /** Half the time within which every process must notice a change (docs/contract.md#registration). */
  readonly pollMs: number;
  /** Called with layers that changed, some perhaps twice: ids of tenants, or `public`. Must not throw. */
  readonly onChanged: (layers: readonly string[]) => void;
  /** Called when nothing known about layers can be relied on: the database was restored from a backup. */
  readonly onReset: () => void;
}

/** Follows the changes of registrations, whichever process makes them. */
export interface LayerFollower extends Closeable {
  /** Reads new changes now. Rejects with `unavailable` while the database is away. */
  refresh(): Promise<void>;
}

/** Resolves once the version to start from is known: what changes later is reported. */
export async function followLayers(deps: LayerFollowerDeps): Promise<LayerFollower> {
  const { db, pollMs, onChanged, onReset } = deps;
  const follower = createVersionFollower({
    readVersion: () => readVersion(db),
    changesSince: (version) => changedLayers(db, version),
    onChanged,
    onReset,
  });
  await follower.start();
  // While the database is away, known layers keep working.
  const poll = (): Promise<void> => follower.refresh().catch(() => undefined);
  const stopPolling = repeat(poll, () => pollMs);
  return {
    refresh: follower.refresh,
    close: async () => stopPolling(),
  };
}
