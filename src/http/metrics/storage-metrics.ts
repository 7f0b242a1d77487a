import type { Registry } from 'prom-client';
import type { PoolStats } from '../../platform/database/postgres-pool.ts';
import type { DependencyCheck } from '../../platform/kernel/dependency-checks.ts';
import { addCounter, addGauge, addLabelledGauge } from './instruments.ts';

/** The response cache, as far as the metrics read it. */
interface CacheStats {
  readonly entries: number;
  readonly bytes: number;
  readonly hits: number;
  readonly misses: number;
}

export interface StorageSources {
  readonly cache: () => CacheStats;
  /** Database and Redis; at most one check a second. */
  readonly checkDependencies: () => Promise<Readonly<Record<string, DependencyCheck>>>;
  /** The connections to PostgreSQL; null on the embedded database. */
  readonly postgres: () => PoolStats | null;
}

/** Registers the metrics of the response cache, the database and Redis. */
export function addStorageMetrics(
  registry: Registry,
  { cache, checkDependencies, postgres }: StorageSources,
): void {
  addGauge(registry, {
    name: 'tool_gateway_cache_entries',
    help: 'Responses in the memory of this process.',
    read: () => cache().entries,
  });
  addGauge(registry, {
    name: 'tool_gateway_cache_bytes',
    help: 'Size of these responses.',
    read: () => cache().bytes,
  });
  addCounter(registry, {
    name: 'tool_gateway_cache_lookups_total',
    help: 'Cache look-ups: hit sent no request to the upstream, miss sent one.',
    labelNames: ['result'],
    read: () => {
      const { hits, misses } = cache();
      return [
        [{ result: 'hit' }, hits],
        [{ result: 'miss' }, misses],
      ];
    },
  });
  addLabelledGauge(registry, {
    name: 'tool_gateway_dependency_up',
    help: '1 while the database (embedded or postgres) or Redis (memory without one) can be read and written.',
    labelNames: ['dependency', 'backend'],
    read: async () =>
      Object.entries(await checkDependencies()).map(([dependency, { backend, status }]) => [
        { dependency, backend },
        status === 'healthy' ? 1 : 0,
      ]),
  });
  addLabelledGauge(registry, {
    name: 'tool_gateway_postgres_connections',
    help: 'Connections to PostgreSQL, and queries that wait for one.',
    labelNames: ['state'],
    read: () => {
      const stats = postgres();
      return stats ? Object.entries(stats).map(([state, count]) => [{ state }, count]) : [];
    },
  });
}
