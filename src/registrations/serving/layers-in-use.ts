import { LRUCache } from 'lru-cache';
import type { Awaitable } from '../../platform/kernel/awaitable.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { type Coalesced, coalesce } from '../../platform/kernel/memo.ts';
import type { CatalogLayers } from '../../tools/catalog/catalog-layers.ts';
import { untilAborted } from '../jobs/within-limits.ts';
import { followLayers, recentLayers } from '../store/layers.ts';
import { isTransient, type LoadedLayer, type LoadLayerDeps, loadLayer } from './load-layer.ts';

export interface LayersInUseDeps extends Omit<LoadLayerDeps, 'inTurn' | 'versionBase'> {
  readonly catalog: CatalogLayers;
  /** Memory for the layers of tenants, roughly: the least recently used one gives way. One may take half of it. */
  readonly maxBytes: number;
  /** How long a request waits until the tools of its tenant are loaded, in milliseconds. */
  readonly maxWaitMs: number;
  /** Half the time within which a change of another process must be noticed. */
  readonly pollMs: number;
  /** Called after a change has reached the catalog. Must not throw. */
  readonly onListChanged: (tenantId: string) => void;
}

/** The names of the tools that a request needs; undefined = it may need any. Only asked while tools are being loaded. */
export type ToolNames = () => readonly string[] | undefined;

/** What a tenant without registrations counts for. */
const EMPTY_LAYER_BYTES = 500;
/** Pause after a layer could not be loaded, as while the database is away. */
const RETRY_MS = 2000;
/** More than there are versions before the database is restored from a backup, whose versions are older. */
const VERSIONS = 2 ** 40;

export type LayersInUse = Awaited<ReturnType<typeof openLayersInUse>>;

/**
 * The registered tools in the catalog of this process: tools of tenants that make requests. Follows the changes of all layers
 * in use. Rejects while the database is away.
 */
export async function openLayersInUse(deps: LayersInUseDeps) {
  const { catalog, maxBytes, maxWaitMs } = deps;
  const tenants = createTenantLayers(catalog, maxBytes);
  const inTurn = createTurns();
  const loads = new Map<string, Coalesced>();
  const ownNames: OwnNames = new Map();
  let versionBase = 0;
  // Until then, the layer in use stays.
  const retries = createRetries((tenantId) => void follow(tenantId));

  async function load(tenantId: string): Promise<void> {
    const limits = { inTurn, versionBase, maxBytes: maxBytes / 2 };
    const loaded = await loadLayer({ ...deps, ...limits }, tenantId, tenants.peek(tenantId));
    if (catalog.setTenantLayer(tenantId, loaded.layer)) tenants.set(tenantId, loaded);
  }

  function reload(tenantId: string): Promise<void> {
    const runs = loads.get(tenantId) ?? coalesce(() => load(tenantId));
    loads.set(tenantId, runs);
    return runs.run().finally(() => {
      if (runs.last() !== undefined || loads.get(tenantId) !== runs) return;
      loads.delete(tenantId);
      ownNames.delete(tenantId);
    });
  }

  async function loadFor(tenantId: string, namesOf: ToolNames | undefined): Promise<void> {
    const loading = loads.get(tenantId)?.last() ?? reload(tenantId);
    // A request that waits for it hears of its failure; there may be none.
    loading.catch(() => undefined);
    const names = namesOf?.();
    if (names && !(await hasOneOf(deps.store, ownNames, tenantId, names))) return;
    await loading;
  }

  /** Brings a changed layer into the catalog if this process serves it, and tells its clients. */
  async function follow(tenantId: string): Promise<void> {
    try {
      if (tenants.has(tenantId) || loads.has(tenantId)) await reload(tenantId);
      deps.onListChanged(tenantId);
    } catch (error) {
      if (!isTransient(error)) deps.onError(error, tenantId);
      retries.add(tenantId);
    }
  }

  const followAll = (tenantIds: Iterable<string>): void => {
    for (const tenantId of tenantIds) void follow(tenantId);
  };

  const follower = await followLayers({
    db: deps.db,
    pollMs: deps.pollMs,
    onChanged: followAll,
    onReset: () => {
      versionBase += VERSIONS;
      followAll(new Set([...tenants.keys(), ...loads.keys()]));
    },
  });
  return {
    /**
     * Resolves once the tools of a tenant are in the catalog; undefined if they are. Rejects with `unavailable` or
     * `overloaded` while they cannot be loaded for the first time, or take too long; loading then continues. With names, does
     * not wait for the tools if the tenant gave none of the names to one.
     */
    ready: (tenantId: string, names?: ToolNames): Awaitable<void> =>
      tenants.get(tenantId) ? undefined : waitFor(loadFor(tenantId, names), maxWaitMs),
    /** Whether `ready` would not wait. */
    isReady: (tenantId: string): boolean => tenants.get(tenantId) !== undefined,
    /** What the layers of tenants take in memory, roughly. */
    usedBytes: (): number => tenants.calculatedSize,
    /** Resolves once what was stored before this call is in the catalog, if it could be loaded. */
    async sync(tenantId: string): Promise<void> {
      await follower.refresh();
      await Promise.allSettled([loads.get(tenantId)?.last()]);
    },
    close: async (): Promise<void> => {
      retries.close();
      await follower.close();
      await Promise.allSettled([...loads.values()].map((runs) => runs.last()));
    },
  };
}

/** The layers of tenants by tenant id. One that gives way also leaves the catalog. */
function createTenantLayers(catalog: CatalogLayers, maxBytes: number) {
  return new LRUCache<string, LoadedLayer>({
    maxSize: maxBytes,
    // A large layer counts as half of all: otherwise, each request of its tenant would unload the layers of all others.
    sizeCalculation: (loaded) => Math.min(bytesOf(loaded), Math.floor(maxBytes / 2)),
    dispose: (_loaded, tenantId, reason) => {
      if (reason === 'evict') catalog.setTenantLayer(tenantId, null);
    },
  });
}

/** The names of the registered tools of tenants whose layers are being loaded. */
type OwnNames = Map<string, Promise<ReadonlySet<string>>>;

async function hasOneOf(
  store: LayersInUseDeps['store'],
  known: OwnNames,
  tenantId: string,
  names: readonly string[],
): Promise<boolean> {
  const read = async () => {
    const registrations = await store.layer(tenantId);
    return new Set(registrations.flatMap(({ tools }) => tools.map(({ name }) => name)));
  };
  const reading = known.get(tenantId) ?? read();
  known.set(tenantId, reading);
  const own = await reading;
  return names.some((name) => own.has(name));
}

async function waitFor(loading: Promise<void>, maxWaitMs: number): Promise<void> {
  const timeout = AbortSignal.timeout(maxWaitMs);
  try {
    await untilAborted(timeout, () => loading);
  } catch (error) {
    throw timeout.aborted ? stillLoading() : error;
  }
}

const stillLoading = (): GatewayError =>
  new GatewayError('overloaded', 'Your registered tools are being loaded. Retry in a moment.', {
    details: { retryAfterSeconds: RETRY_MS / 1000 },
  });

const bytesOf = ({ parts }: LoadedLayer): number =>
  [...parts.values()].reduce((bytes, { loaded }) => bytes + loaded.bytes, EMPTY_LAYER_BYTES);

/** Creates a queue that runs tasks one after another, whether they fail or not. */
function createTurns(): <T>(task: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const turn = last.then(task, task);
    // The queue keeps no result, and the caller that waits for the turn handles its failure.
    last = turn.then(
      () => undefined,
      () => undefined,
    );
    return turn;
  };
}

/** Runs again after a pause what failed, each at most once, however often it was added. */
function createRetries(run: (name: string) => void) {
  const timers = new Map<string, NodeJS.Timeout>();
  let isClosed = false;
  return {
    add(name: string): void {
      if (isClosed || timers.has(name)) return;
      const again = (): void => {
        timers.delete(name);
        run(name);
      };
      timers.set(name, setTimeout(again, RETRY_MS).unref());
    },
    close(): void {
      isClosed = true;
      for (const timer of timers.values()) clearTimeout(timer);
    },
  };
}

/** Tenants whose layers are loaded at a start, at most. */
const MAX_WARMED = 1000;

/**
 * Loads the layers of tenants after a start, those changed last first, so that their first requests need not wait. Leaves half
 * of the memory for layers to tenants that come by themselves. Resolves once it has ended, whatever could not be loaded: one
 * that cannot be, or takes long, keeps no other from being loaded.
 */
export async function warmLayers(
  layers: Pick<LayersInUse, 'ready' | 'usedBytes'>,
  { db, maxBytes }: Pick<LayersInUseDeps, 'db' | 'maxBytes'>,
  signal: AbortSignal,
): Promise<void> {
  // The first request of a tenant loads its layer, and says what is wrong.
  const recent = await recentLayers(db, MAX_WARMED).catch(() => []);
  for (const tenantId of recent) {
    if (signal.aborted || layers.usedBytes() >= maxBytes / 2) return;
    await layers.ready(tenantId)?.catch(() => undefined);
  }
}
