import type { Awaitable } from './awaitable.ts';
import { GatewayError } from './error.ts';

/** What one name has used of its limit until its window ends, as far as this process knows. */
export interface Tally {
  readonly name: string;
  readonly limit: number;
  /** How much of the limit all processes together may have used without reporting it. */
  readonly slack: number;
  /** On the clock of the counter. */
  endMs: number;
  /** Used by all processes, as the store said last. */
  total: number;
  /** Used here, and not part of the total yet. */
  own: number;
  /** Whether the total comes from the store; until then, nothing is admitted without asking. */
  isKnown: boolean;
  /** Whether the next sync reports it. */
  isTouched: boolean;
}

/** What a process has used of a name since it reported last. */
export interface Report {
  readonly tally: Tally;
  readonly points: number;
}

/** What the store says of a name after a report. */
export interface Standing {
  readonly total: number;
  readonly endMs: number;
}

/** Adds points to the totals that all processes share, and returns what these are then, in the same order. */
export type SyncTallies = (reports: readonly Report[]) => Promise<readonly Standing[]>;

export interface CounterOptions {
  /** Undefined: this process counts alone, and decides at once. */
  readonly sync?: SyncTallies | undefined;
  /** How many processes share the totals. */
  readonly replicas: () => number;
  /** How long after its first use a name is reported. */
  readonly intervalMs: number;
  /** The clock of the windows. */
  readonly now: () => number;
  /** Whether points are refused while the store is away. Otherwise each process admits its part of what was left. */
  readonly isStrict?: boolean;
}

/** Points that wait for a sync. */
interface Waiter {
  readonly outer: Tally | null;
  readonly inner: Tally | null;
  readonly points: number;
  /** Whether the sync that is under way reports the points. */
  isReported: boolean;
  readonly resolve: (refusing: Tally | null) => void;
  readonly reject: (error: GatewayError) => void;
}

/** How long requests wait for the store. */
const WAIT_MS = 2000;

/** A name whose window has just begun, so that its total is known to be 0. */
export const newTally = (name: string, limit: number, endMs: number) => ({
  name,
  limit,
  slack: limit,
  endMs,
  total: 0,
  own: 0,
  isKnown: true,
  isTouched: false,
});

export const leftOf = ({ limit, total, own }: Tally): number => limit - total - own;

/** Counts points here. The store learns of them with the next sync. */
function add(outer: Tally | null, inner: Tally | null, points: number): void {
  if (outer) outer.own += points;
  if (inner) inner.own += points;
}

const refuses = (tally: Tally | null, points: number): boolean =>
  tally?.isKnown === true && leftOf(tally) < points;

/** The name that has too little left; null if the points fit. */
const refusing = (outer: Tally | null, inner: Tally | null, points: number): Tally | null => {
  if (refuses(outer, points)) return outer;
  return refuses(inner, points) ? inner : null;
};

export type Counter = ReturnType<typeof createCounter>;

/**
 * Counts what names use of their limits, each until its window ends. Between two syncs, a process admits its part of what
 * was left, or of the slack, if that is less. When that is used, it asks at once; the first points that wait are reported
 * with the question, and decided exactly. Points are charged to two names, both or neither; null = no limit.
 */
export function createCounter(options: CounterOptions) {
  const { sync, isStrict = false } = options;
  const { mustAsk, takePart } = createParts(options);
  const queue = createQueue();
  const syncing = createSyncing(options, { queue, decide, giveUp });

  function take(outer: Tally | null, inner: Tally | null, points: number): Awaitable<Tally | null> {
    if (sync === undefined) return takeExactly(outer, inner, points);
    syncing.touch(outer);
    syncing.touch(inner);
    const refused = refusing(outer, inner, points);
    if (refused !== null) return refused;
    if (mustAsk(outer, points) || mustAsk(inner, points)) return ask(outer, inner, points);
    add(outer, inner, points);
    return null;
  }

  function takeExactly(outer: Tally | null, inner: Tally | null, points: number): Tally | null {
    const refused = refusing(outer, inner, points);
    if (refused === null) add(outer, inner, points);
    return refused;
  }

  function ask(outer: Tally | null, inner: Tally | null, points: number): Awaitable<Tally | null> {
    if (!syncing.isAway()) {
      const waits = queue.wait(outer, inner, points);
      syncing.start();
      return waits;
    }
    return isStrict
      ? Promise.reject(new GatewayError('unavailable'))
      : takePart(outer, inner, points);
  }

  /** After a sync: decides the points that it reported, and those for which there is room until the next one. */
  function decide(): void {
    queue.unreport();
    queue.serve((waiter) => {
      const { outer, inner, points } = waiter;
      const refused = refusing(outer, inner, points);
      const isReported = waiter.isReported;
      waiter.isReported = false;
      if (refused === null) {
        if (!isReported && (mustAsk(outer, points) || mustAsk(inner, points))) return false;
        add(outer, inner, points);
      }
      waiter.resolve(refused);
      // What was reported and is refused must be returned.
      if (outer !== null && outer.own !== 0) syncing.touch(outer);
      if (inner !== null && inner.own !== 0) syncing.touch(inner);
      return true;
    });
  }

  function giveUp(): void {
    queue.unreport();
    queue.serve(({ outer, inner, points, resolve, reject }) => {
      if (isStrict) reject(new GatewayError('unavailable'));
      else resolve(takePart(outer, inner, points));
      return true;
    });
  }

  return {
    /**
     * Counts the points if both names have room for them; otherwise counts nothing, and returns the name that refuses, the
     * outer before the inner. A promise only where the store must be asked. While that is away, each process admits its part
     * of what was left; a strict one rejects with `unavailable`.
     */
    take,
    /** Counts points whether there is room for them or not; negative points return what was not used. */
    add(outer: Tally, inner: Tally, points: number): void {
      add(outer, inner, points);
      syncing.touch(outer);
      syncing.touch(inner);
    },
    /** Lets the next sync read what the store has of a name. */
    touch: syncing.touch,
    /** Syncs now. Never rejects. */
    save: syncing.save,
    close: syncing.close,
  };
}

/** What this process may admit by itself. */
function createParts({ replicas }: CounterOptions) {
  const partOf = (points: number): number => points / Math.max(1, replicas());
  const mustAsk = (tally: Tally | null, points: number): boolean =>
    tally !== null &&
    (!tally.isKnown ||
      tally.own + points > Math.floor(partOf(Math.min(tally.limit - tally.total, tally.slack))));
  /** Whether points exceed this process's part of what was left at the last sync. */
  const exceedsPart = (tally: Tally | null, points: number): boolean =>
    tally !== null && tally.own + points > Math.ceil(partOf(tally.limit - tally.total));

  return {
    mustAsk,
    takePart(outer: Tally | null, inner: Tally | null, points: number): Tally | null {
      if (exceedsPart(outer, points)) return outer;
      if (exceedsPart(inner, points)) return inner;
      add(outer, inner, points);
      return null;
    },
  };
}

/** The points that wait, in the order in which they came. Their number is bounded by the requests under way. */
function createQueue() {
  let waiting: Waiter[] = [];
  return {
    wait: (outer: Tally | null, inner: Tally | null, points: number): Promise<Tally | null> =>
      new Promise((resolve, reject) => {
        waiting.push({ outer, inner, points, isReported: false, resolve, reject });
      }),
    isEmpty: (): boolean => waiting.length === 0,
    /** Counts the first points that wait for a name, so that the next sync reports them. */
    report(touch: (tally: Tally | null) => void): void {
      const names = new Set<Tally | null>();
      for (const waiter of waiting) {
        const { outer, inner, points } = waiter;
        if (names.has(outer) || names.has(inner)) continue;
        for (const tally of [outer, inner]) if (tally) names.add(tally);
        add(outer, inner, points);
        touch(outer);
        touch(inner);
        waiter.isReported = true;
      }
    },
    unreport(): void {
      for (const { outer, inner, points, isReported } of waiting) {
        if (isReported) add(outer, inner, -points);
      }
    },
    /** Removes those that are decided. */
    serve(decide: (waiter: Waiter) => boolean): void {
      const asked = waiting;
      waiting = [];
      waiting = [...asked.filter((waiter) => !decide(waiter)), ...waiting];
    },
  };
}

interface SyncingDeps {
  readonly queue: ReturnType<typeof createQueue>;
  readonly decide: () => void;
  readonly giveUp: () => void;
}

/** What must be reported of names. A window that is over is not. */
function reportsOf(touched: readonly Tally[], nowMs: number) {
  const reports = new Map<string, Report>();
  const later: Tally[] = [];
  for (const tally of touched) {
    // A name that was forgotten meanwhile is there twice.
    if (tally.endMs > nowMs && reports.has(tally.name)) {
      later.push(tally);
      continue;
    }
    tally.isTouched = false;
    if (tally.endMs > nowMs) reports.set(tally.name, { tally, points: tally.own });
  }
  return { reports: [...reports.values()], later };
}

/** Syncs the names that were touched, once at a time: a moment after their first use, or at once where points wait. */
function createSyncing(
  { sync, intervalMs, now }: CounterOptions,
  { queue, decide, giveUp }: SyncingDeps,
) {
  let touched: Tally[] = [];
  let isAway = false;
  let isClosed = false;
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  function touch(tally: Tally | null): void {
    if (tally === null || tally.isTouched || sync === undefined) return;
    tally.isTouched = true;
    touched.push(tally);
    timer ??= setTimeout(start, intervalMs).unref();
  }

  async function syncOnce(): Promise<void> {
    queue.report(touch);
    const { reports, later } = reportsOf(touched, now());
    touched = later;
    const late = setTimeout(fail, WAIT_MS);
    try {
      const standings = reports.length > 0 && sync ? await sync(reports) : [];
      for (const [i, { tally, points }] of reports.entries()) {
        const { total, endMs } = standings[i] ?? tally;
        Object.assign(tally, { own: tally.own - points, total, endMs, isKnown: true });
      }
      isAway = false;
      decide();
    } catch {
      for (const { tally } of reports) touch(tally);
      fail();
    } finally {
      clearTimeout(late);
    }
  }

  function fail(): void {
    isAway = true;
    giveUp();
  }

  /** Whether points were reported that were refused then: others may need them. */
  const mustReturn = (): boolean => !isAway && touched.some(({ own }) => own < 0);

  async function run(): Promise<void> {
    do await syncOnce();
    while (!queue.isEmpty() || mustReturn());
    running = undefined;
    clearTimeout(timer);
    timer = touched.length > 0 ? setTimeout(start, intervalMs).unref() : undefined;
  }

  function start(): void {
    if (!isClosed) running ??= run();
  }

  async function save(): Promise<void> {
    await running;
    start();
    await running;
  }

  return {
    touch,
    start,
    save,
    isAway: (): boolean => isAway,
    close: async (): Promise<void> => {
      await save();
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
