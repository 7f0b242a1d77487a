import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { coalesce } from '../../platform/kernel/memo.ts';
import { type Clock, repeat } from '../../platform/kernel/time.ts';
import { createVersionFollower } from '../../platform/kernel/version-follower.ts';
import { type Change, changeTopic, readVersion } from '../trail/change-version.ts';
import {
  endsAtMs,
  isAccepted,
  type KeyHistory,
  type KeyObservation,
  lastSeenMs,
  latestOf,
  learn,
  NO_HISTORY,
  type Readiness,
  readinessOf,
} from './readiness.ts';

/** A key of a provider and a dataset for which it is sent. */
export interface KeyDataset {
  readonly fingerprint: string;
  /** The name that presets give in `x-secret`: in a sandbox, one value may be the key of several providers. */
  readonly name: string;
  readonly dataset: string;
}

export interface KeyDatasetsDeps {
  readonly db: Kysely<Tables>;
  readonly clock: Clock;
  /** How often the responses of other processes are read. */
  readonly pollMs: number;
  /** Called when a state may have changed, in this or another process. Must not throw. */
  readonly onChanged: () => void;
  /** Rows that are kept; by default `MAX_ROWS`. */
  readonly maxRows?: number;
}

/** Who says that a dataset was applied for, for the trail. */
export interface Application {
  readonly actor: string;
  readonly tenantId: string | null;
}

export type KeyDatasets = Awaited<ReturnType<typeof openKeyDatasets>>;

/** The keys of 500 tenants for 40 datasets. */
const MAX_ROWS = 20_000;
const MAX_AGE_MS = 90 * 86_400_000;
/** A row whose state stays the same is written again when it is older than this. */
const REFRESH_MS = 3_600_000;
const SWEEP_MS = 3_600_000;
/** Changes within this time are written together. */
const GATHER_MS = 200;
const MAX_BATCH = 500;

interface Row extends KeyDataset {
  history: KeyHistory;
  /** As the database has it; null = not at all. */
  stored: KeyHistory | null;
}

/**
 * Opens what is known of keys and datasets. It is read from memory and learned in memory; the database, by which processes
 * share it, is written behind and only when something changes: the last to write a row is right. Rejects with `unavailable`
 * while the database is away.
 */
export async function openKeyDatasets(deps: KeyDatasetsDeps) {
  const { db, clock, onChanged, maxRows = MAX_ROWS } = deps;
  const rows = createRows(maxRows);
  const ends = createEnds();
  const writer = createWriter({ db, clock, maxRows, onWritten });

  function set(row: Row, history: KeyHistory): void {
    row.history = history;
    for (const endMs of endsAtMs(history)) ends.add(endMs, clock.now());
    if (!isStored(row)) writer.add(row);
  }

  function onWritten(row: Row, stored: KeyHistory): void {
    row.stored = stored;
    // What was learned meanwhile is written next.
    set(row, row.history);
  }

  /** Takes what other processes have written, unless this one is about to write. */
  function take(read: readonly StoredRow[]): void {
    for (const { history, ...id } of read) {
      const row = rows.open(id);
      const { appliedAtMs } = history;
      row.stored = history;
      set(row, writer.has(row) ? { ...row.history, appliedAtMs } : history);
    }
    onChanged();
  }

  const stopPolling = await followRows(deps, {
    take,
    onTick: async () => {
      if (ends.isDue(clock.now())) onChanged();
      await writer.retry();
    },
  });

  function isKnownElsewhere(id: KeyDataset): boolean {
    const nowMs = clock.now();
    for (const row of rows.ofKey(id)) {
      if (row.dataset !== id.dataset && isAccepted(row.history, nowMs)) return true;
    }
    return false;
  }

  const read = (id: KeyDataset, meaning: typeof readinessOf): Readiness =>
    meaning(rows.get(id)?.history ?? NO_HISTORY, isKnownElsewhere(id), clock.now());

  return {
    /** Learns from a response. Costs a look-up in memory; never throws. */
    report(id: KeyDataset, observation: KeyObservation): void {
      const row = rows.open(id);
      const history = learn(row.history, observation);
      if (isUsual(row, observation)) {
        row.history = history;
        return;
      }
      set(row, history);
      onChanged();
    },
    /** Whether another dataset accepts the same key. */
    isKnownElsewhere,
    /** What is certain: a key that works is refused after two refusals. */
    readinessOf: (id: KeyDataset): Readiness => read(id, readinessOf),
    /** What people are shown: a refusal counts at once. */
    latestOf: (id: KeyDataset): Readiness => read(id, latestOf),
    /** Notes that the dataset was applied for, and enters it in the trail. Rejects with `unavailable`. */
    async markApplied(id: KeyDataset, application: Application): Promise<void> {
      const row = rows.open(id);
      const appliedAtMs = await writeApplication(deps, row, application);
      set(row, { ...row.history, appliedAtMs });
      onChanged();
    },
    /** Writes what was learned, if the database is available. */
    close: async (): Promise<void> => {
      stopPolling();
      await writer.close();
    },
  };
}

/** Whether a response changes nothing that other processes need to know. */
const isUsual = ({ history, stored }: Row, { kind, atMs }: KeyObservation): boolean =>
  kind === 'good' &&
  history.goodAtMs !== null &&
  !history.refused &&
  !history.exhausted &&
  stored !== null &&
  atMs - lastSeenMs(stored) < REFRESH_MS;

interface Followed {
  readonly take: (read: readonly StoredRow[]) => void;
  readonly onTick: () => Promise<void>;
}

/** Reads all rows, and then what other processes write. Returns what stops it. */
async function followRows(
  { db, pollMs }: KeyDatasetsDeps,
  { take, onTick }: Followed,
): Promise<() => void> {
  const reload = async (): Promise<void> => take(await readRows(db, -1));
  const follower = createVersionFollower({
    readVersion: () => runQuery(() => readVersion(db, 'key_datasets')),
    changesSince: (version) => readRows(db, version),
    onChanged: take,
    onReset: () => void reload().catch(() => undefined),
  });
  await follower.start();
  await reload();
  return repeat(
    async () => {
      // While the database is away, this process keeps learning.
      await follower.refresh().catch(() => undefined);
      await onTick();
    },
    () => pollMs,
  );
}

interface WriterDeps extends Pick<KeyDatasetsDeps, 'db' | 'clock'> {
  readonly maxRows: number;
  /** Called with what the database now has of a row. */
  readonly onWritten: (row: Row, stored: KeyHistory) => void;
}

/** Writes rows behind, the rows of a moment together. What the database refuses is written later. */
function createWriter({ db, clock, maxRows, onWritten }: WriterDeps) {
  const waiting = new Set<Row>();
  let timer: NodeJS.Timeout | undefined;
  let sweepAtMs = 0;

  async function sweep(change: Change): Promise<void> {
    if (change.nowMs < sweepAtMs) return;
    await deleteOld(change.db, { beforeMs: change.nowMs - MAX_AGE_MS, maxRows });
    sweepAtMs = change.nowMs + SWEEP_MS;
  }

  const flush = coalesce(async () => {
    clearTimeout(timer);
    timer = undefined;
    const batch = [...waiting].slice(0, MAX_BATCH);
    if (batch.length === 0) return;
    const written = await changeTopic({ db, clock }, 'key_datasets', async (change) => {
      await sweep(change);
      const histories = batch.map((row) => [row, row.history] as const);
      for (const [row, history] of histories) await writeRow(change, row, history);
      return histories;
    });
    for (const [row] of written) waiting.delete(row);
    for (const [row, history] of written) onWritten(row, history);
    if (waiting.size > 0) schedule();
  });
  const tryFlush = (): Promise<void> => flush.run().catch(() => undefined);

  function schedule(): void {
    timer ??= setTimeout(tryFlush, GATHER_MS).unref();
  }

  return {
    add(row: Row): void {
      waiting.add(row);
      schedule();
    },
    has: (row: Row): boolean => waiting.has(row),
    retry: async (): Promise<void> => {
      if (waiting.size > 0) await tryFlush();
    },
    close: async (): Promise<void> => {
      await tryFlush();
      clearTimeout(timer);
    },
  };
}

/** The rows in memory. When there are too many, the row that was added first is dropped: the database still has it. */
function createRows(maxRows: number) {
  const byKey = new Map<string, Map<string, Row>>();
  const order = new Set<Row>();
  const keyOf = ({ name, fingerprint }: KeyDataset): string => `${fingerprint}${name}`;

  function drop(row: Row): void {
    order.delete(row);
    const datasets = byKey.get(keyOf(row));
    datasets?.delete(row.dataset);
    if (datasets?.size === 0) byKey.delete(keyOf(row));
  }

  return {
    get: (id: KeyDataset) => byKey.get(keyOf(id))?.get(id.dataset),
    ofKey: (id: KeyDataset): Iterable<Row> => byKey.get(keyOf(id))?.values() ?? [],
    open(id: KeyDataset): Row {
      const datasets = byKey.get(keyOf(id)) ?? new Map<string, Row>();
      const known = datasets.get(id.dataset);
      if (known) return known;
      const { fingerprint, name, dataset } = id;
      const row: Row = { fingerprint, name, dataset, history: NO_HISTORY, stored: null };
      byKey.set(keyOf(id), datasets.set(dataset, row));
      order.add(row);
      const [first] = order;
      if (order.size > maxRows && first) drop(first);
      return row;
    },
  };
}

/** The next time at which a state ends by itself. */
function createEnds() {
  const times = new Set<number>();
  return {
    add(endMs: number, nowMs: number): void {
      if (endMs > nowMs) times.add(endMs);
    },
    isDue(nowMs: number): boolean {
      const due = [...times].filter((endMs) => endMs <= nowMs);
      for (const endMs of due) times.delete(endMs);
      return due.length > 0;
    },
  };
}

/** Whether the database has all that matters: the state, and evidence that is not much older. */
function isStored({ history, stored }: Row): boolean {
  if (history === NO_HISTORY) return true;
  if (!stored) return false;
  return (
    JSON.stringify(stateIn(history)) === JSON.stringify(stateIn(stored)) &&
    lastSeenMs(history) - lastSeenMs(stored) < REFRESH_MS
  );
}

const stateIn = ({ goodSinceMs, refused, exhausted }: KeyHistory) => [
  goodSinceMs,
  refused && [refused.kind, refused.firstAtMs, refused.strikes],
  exhausted?.untilMs,
];

interface StoredRow extends KeyDataset {
  readonly history: KeyHistory;
}

/** The rows that were written after a version. */
async function readRows(db: Kysely<Tables>, version: number): Promise<StoredRow[]> {
  const read = await runQuery(() =>
    db
      .selectFrom('key_datasets')
      .select(['fingerprint', 'name', 'dataset', 'history', 'applied_at_ms as appliedAtMs'])
      .where('version', '>', version)
      .orderBy('seen_at_ms')
      .execute(),
  );
  return read.map(({ history, appliedAtMs, ...id }) => {
    const learned = JSON.parse(history) as Omit<KeyHistory, 'appliedAtMs'>;
    return { ...id, history: { ...learned, appliedAtMs } };
  });
}

/**
 * Writes what this process has learned of a dataset, or an application for it. Of a row that exists, the other one stays:
 * another process may just have written it.
 */
async function writeRow(
  { db, version }: Change,
  { fingerprint, name, dataset }: KeyDataset,
  { appliedAtMs, ...learned }: KeyHistory,
  what: 'learned' | 'application' = 'learned',
): Promise<void> {
  const parts = {
    learned: { history: JSON.stringify(learned) },
    application: { applied_at_ms: appliedAtMs },
  };
  const seenAtMs = Math.max(lastSeenMs({ ...learned, appliedAtMs }), appliedAtMs ?? 0);
  const seen = { seen_at_ms: seenAtMs, version };
  await db
    .insertInto('key_datasets')
    .values({ fingerprint, name, dataset, ...parts.learned, ...parts.application, ...seen })
    .onConflict((conflict) =>
      conflict.columns(['fingerprint', 'name', 'dataset']).doUpdateSet({ ...parts[what], ...seen }),
    )
    .execute();
}

/** Resolves with the time of the application. */
const writeApplication = (
  { db, clock }: KeyDatasetsDeps,
  row: Row,
  { actor, tenantId }: Application,
): Promise<number> =>
  changeTopic({ db, clock }, 'key_datasets', async (change) => {
    const { name, dataset, history } = row;
    const appliedAtMs = change.nowMs;
    await change.append(actor, 'provider_key.applied', name, { tenantId, details: { dataset } });
    await writeRow(change, row, { ...history, appliedAtMs }, 'application');
    return appliedAtMs;
  });

/** Deletes rows that were not used for long, and those beyond the bound. */
async function deleteOld(
  db: Change['db'],
  { beforeMs, maxRows }: { readonly beforeMs: number; readonly maxRows: number },
): Promise<void> {
  const last = await db
    .selectFrom('key_datasets')
    .select('seen_at_ms')
    .orderBy('seen_at_ms', 'desc')
    .offset(maxRows)
    .limit(1)
    .executeTakeFirst();
  const untilMs = Math.max(beforeMs, last?.seen_at_ms ?? 0);
  await db.deleteFrom('key_datasets').where('seen_at_ms', '<=', untilMs).execute();
}
