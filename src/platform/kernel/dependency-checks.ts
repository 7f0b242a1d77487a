/** A dependency whose health is checked. */
export interface Dependency {
  readonly backend: string;
  /** Rejects if the dependency is unavailable. */
  readonly ping: () => Promise<void>;
}

export interface DependencyCheck {
  readonly status: 'healthy' | 'unhealthy';
  readonly latencyMs: number;
  readonly backend: string;
}

export type Dependencies = Readonly<Record<'database' | 'redis', Dependency>>;

/** A check that takes longer counts as failed (docs/contract.md#health). */
const CHECK_TIMEOUT_MS = 2000;

/** Time for which a check is reused: the callers of the public endpoint are not rate limited. */
const CHECK_AGE_MS = 1000;

/** Checks all dependencies, at most once a second. The function never rejects: any failure is `unhealthy`. */
export const createDependencyChecks = (dependencies: Dependencies) =>
  sharedFor(CHECK_AGE_MS, async () => {
    const [database, redis] = await Promise.all([
      check(dependencies.database),
      check(dependencies.redis),
    ]);
    return { database, redis };
  });

/** Shares one run of `work` between all calls while it is in progress, and for `ageMs` after it. */
function sharedFor<T>(ageMs: number, work: () => Promise<T>): () => Promise<T> {
  let shared: Promise<T> | undefined;
  let freshUntilMs = Number.POSITIVE_INFINITY;
  return () => {
    if (shared && performance.now() < freshUntilMs) return shared;
    freshUntilMs = Number.POSITIVE_INFINITY;
    shared = work().finally(() => {
      freshUntilMs = performance.now() + ageMs;
    });
    return shared;
  };
}

async function check({ backend, ping }: Dependency): Promise<DependencyCheck> {
  const startedMs = performance.now();
  const { promise: timeout, resolve } = Promise.withResolvers<'unhealthy'>();
  const timer = setTimeout(resolve, CHECK_TIMEOUT_MS, 'unhealthy');
  const pinged = ping().then(
    () => 'healthy' as const,
    () => 'unhealthy' as const,
  );
  const status = await Promise.race([pinged, timeout]);
  clearTimeout(timer);
  return { status, latencyMs: Math.round((performance.now() - startedMs) * 100) / 100, backend };
}
