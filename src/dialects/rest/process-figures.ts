import type { AuditStats } from '../../audit/record/audit-record.ts';
import type { Caller } from '../../platform/kernel/caller.ts';
import type { CacheStats } from '../../platform/kernel/http-names.ts';
import type { UpstreamState } from '../../tools/tool-connection.ts';

/** Whose figures are asked for. */
export interface FiguresQuery {
  readonly tenantId: string;
  /** Whether streams of all tenants are counted. */
  readonly isOperator: boolean;
}

/** The states of origins in use. */
export interface UpstreamStates {
  /** Those of presets, which all tenants share. */
  readonly shared: readonly UpstreamState[];
  /** Those of registered APIs, as one tenant uses them. */
  readonly own: readonly UpstreamState[];
}

/** What one process counts. Several processes on one machine add it up. */
export interface ProcessFigures {
  readonly memory: Readonly<Record<string, number>>;
  readonly streams: number;
  readonly audit: AuditStats;
  readonly cache: CacheStats;
  readonly upstreams: UpstreamStates;
}

/** The processes of this machine that share a port with this one, and itself. */
export interface Workers {
  /** The number of this one, from 1. */
  readonly number: number;
  readonly total: number;
  /** The figures of the others, by their number. Those that do not answer in time are missing. Never rejects. */
  readonly othersFigures: (query: FiguresQuery) => Promise<ReadonlyMap<number, ProcessFigures>>;
}

/** The tenant that the gateway creates for its operator. */
const OPERATOR_TENANT = 'default';

export const isOperator = ({ tenantSlug }: Caller): boolean => tenantSlug === OPERATOR_TENANT;

export interface AddedFigures extends ProcessFigures {
  /** Which workers they are of; undefined in a single process. */
  readonly workers?: {
    readonly total: number;
    readonly respondedBy: number;
    readonly silent: readonly number[];
  };
}

export interface WorkerFiguresDeps {
  /** Of this process. */
  readonly figures: (query: FiguresQuery) => ProcessFigures;
  /** Unset in a single process. */
  readonly workers?: Workers | undefined;
  /** The origins of the tools that a caller may use: of presets, and of the tenant. */
  readonly originsFor: (caller: Caller) => Record<keyof UpstreamStates, ReadonlySet<string>>;
}

export type WorkerFigures = ReturnType<typeof createWorkerFigures>;

/** The figures of all workers, added up. */
export function createWorkerFigures({ figures, workers, originsFor }: WorkerFiguresDeps) {
  async function all(query: FiguresQuery): Promise<AddedFigures> {
    const others = await workers?.othersFigures(query);
    return {
      ...sumOf([figures(query), ...(others?.values() ?? [])]),
      ...(workers && others && { workers: reportOn(workers, others) }),
    };
  }
  return {
    all,
    /** Those that a caller may see, with the origins of the tools that it may use. */
    of: async (caller: Caller): Promise<AddedFigures> => {
      const query = { tenantId: caller.tenantId, isOperator: isOperator(caller) };
      const { upstreams, ...sum } = await all(query);
      const origins = originsFor(caller);
      return {
        ...sum,
        upstreams: {
          shared: upstreams.shared.filter(({ origin }) => origins.shared.has(origin)),
          own: upstreams.own.filter(({ origin }) => origins.own.has(origin)),
        },
      };
    },
  };
}

/** Which of the workers the figures are of. */
function reportOn({ number, total }: Workers, others: ReadonlyMap<number, ProcessFigures>) {
  const numbers = Array.from({ length: total }, (_, at) => at + 1);
  const silent = numbers.filter((each) => each !== number && !others.has(each));
  return { total, respondedBy: number, silent };
}

function sumOf(all: readonly ProcessFigures[]): ProcessFigures {
  const [first, ...others] = all;
  if (!first) throw new Error('There are figures of no process.');
  return others.reduce(
    (sum, { memory, streams, audit, cache, upstreams }) => ({
      memory: added(sum.memory, memory),
      streams: sum.streams + streams,
      audit: addedAudit(sum.audit, audit),
      cache: addedCache(sum.cache, cache),
      upstreams: {
        shared: addedStates(sum.upstreams.shared, upstreams.shared),
        own: addedStates(sum.upstreams.own, upstreams.own),
      },
    }),
    first,
  );
}

/** Adds up the members that are numbers. */
const added = <T extends object>(a: T, b: T): T => {
  const sums = Object.entries(b).flatMap(([name, value]) => {
    const other: unknown = a[name as keyof T];
    return typeof value === 'number' && typeof other === 'number' ? [[name, value + other]] : [];
  });
  return { ...a, ...Object.fromEntries(sums) };
};

const addedAudit = (a: AuditStats, b: AuditStats): AuditStats => ({
  ...added(a, b),
  oldestWaitingSeconds: Math.max(a.oldestWaitingSeconds, b.oldestWaitingSeconds),
  // Times of one format, so the later one is the greater text.
  lastWriteAt: [a.lastWriteAt ?? '', b.lastWriteAt ?? ''].sort()[1] || null,
  degraded: a.degraded ?? b.degraded,
});

function addedCache(a: CacheStats, b: CacheStats): CacheStats {
  const sum = added(a, b);
  const lookups = sum.hits + sum.misses;
  return { ...sum, hitRatio: lookups > 0 ? sum.hits / lookups : null };
}

/** From the best to the worst. */
const CIRCUITS: readonly UpstreamState['circuit'][] = ['closed', 'half_open', 'open'];

/** One state for each origin: the worst circuit, the requests of all, and the times of the slowest process. */
function addedStates(
  a: readonly UpstreamState[],
  b: readonly UpstreamState[],
): readonly UpstreamState[] {
  const byOrigin = new Map(a.map((state) => [state.origin, state]));
  for (const state of b) {
    const known = byOrigin.get(state.origin);
    byOrigin.set(state.origin, known ? addedState(known, state) : state);
  }
  return [...byOrigin.values()];
}

const addedState = (a: UpstreamState, b: UpstreamState): UpstreamState => ({
  origin: a.origin,
  circuit:
    CIRCUITS.findLast((circuit) => circuit === a.circuit || circuit === b.circuit) ?? 'closed',
  inFlight: a.inFlight + b.inFlight,
  p50Ms: greater(a.p50Ms, b.p50Ms),
  p99Ms: greater(a.p99Ms, b.p99Ms),
});

const greater = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.max(a, b);

export function processMemory() {
  const { rss: rssBytes, heapUsed, heapTotal, external } = process.memoryUsage();
  return { rssBytes, heapUsedBytes: heapUsed, heapTotalBytes: heapTotal, externalBytes: external };
}
