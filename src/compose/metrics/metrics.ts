import { collectDefaultMetrics, Registry } from 'prom-client';
import type { SecurityLog } from '../../access/trail/security-log.ts';
import type { AuditLedger } from '../../audit/record/audit-record.ts';
import type { AuditRetention } from '../../audit/retention/audit-retention.ts';
import type { ResponseCounts } from '../../http/access-log.ts';
import type { Connections } from '../../http/connections/connections.ts';
import { openSmallServer, type SmallServer } from '../../http/small-server.ts';
import type { Settings } from '../../platform/config/settings.ts';
import type { Database } from '../../platform/database/database.ts';
import type { ReplicaRegistry } from '../../platform/database/replica-registry.ts';
import type { ByteBudget } from '../../platform/kernel/byte-budget.ts';
import type { createDependencyChecks } from '../../platform/kernel/dependency-checks.ts';
import type { CacheStats } from '../../platform/kernel/http-names.ts';
import { VERSION } from '../../platform/kernel/version.ts';
import type { Statistics } from '../../statistics/open-statistics.ts';
import type { UpstreamClient } from '../../upstreams/client/create-upstream-client.ts';
import { createCallMetrics } from './call-metrics.ts';
import { counter, gauge, type Metric, type Sample } from './instruments.ts';

type LoadedClient = Pick<UpstreamClient, 'loads' | 'circuitsOpened'>;
type UpstreamLoad = ReturnType<UpstreamClient['loads']>[number];

export interface MetricsSources {
  readonly responses: ResponseCounts['entries'];
  readonly securityEvents: SecurityLog['counts'];
  readonly refused: Statistics['refusedTotals'];
  /** The client of presets, and the client of registered APIs. */
  readonly upstreams: LoadedClient;
  readonly guarded: LoadedClient;
  readonly cache: () => CacheStats;
  readonly checkDependencies: ReturnType<typeof createDependencyChecks>;
  readonly postgres: Database['poolStats'];
  readonly replicas: Pick<ReplicaRegistry, 'living' | 'lost'>;
  readonly streams: () => number;
  readonly lostMessages: () => number;
  readonly connections: Connections['stats'];
  readonly budget: ByteBudget['stats'];
  readonly audit: AuditLedger['stats'];
  readonly retention: AuditRetention['stats'];
}

/** Prometheus metrics of this process. No label names a tenant or a key: their number would grow without bound. */
export function createMetrics(sources: MetricsSources) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const calls = createCallMetrics();
  const metrics: Readonly<Record<string, Metric>> = {
    ...calls.metrics,
    ...httpMetrics(sources),
    ...upstreamMetrics(sources),
    ...storageMetrics(sources),
    ...connectionMetrics(sources),
    ...auditMetrics(sources),
    tool_gateway_build_info: gauge(
      'Always 1; the version of the gateway is the label.',
      () => [[VERSION, 1]],
      ['version'],
      'max',
    ),
  };
  for (const [name, add] of Object.entries(metrics)) add(registry, name);
  return { registry, observe: calls.observe };
}

const httpMetrics = ({ responses, securityEvents, refused }: MetricsSources) => ({
  tool_gateway_http_requests_total: counter(
    'Requests with a response, by status. A failed call of POST /mcp may have 200.',
    function* () {
      for (const [status, count] of responses()) yield [String(status), count];
    },
    ['status'],
  ),
  tool_gateway_refused_requests_total:
    counter('Requests that were refused before they had an audit record: of known keys, and with a wrong key.', () => {
      const { auth_failed, auth_blocked } = securityEvents();
      return Object.entries({ ...refused(), wrong_key: auth_failed + auth_blocked });
    }, ['reason']),
  tool_gateway_security_events_total: counter(
    'Events of the security log, including those whose lines were suppressed.',
    () => Object.entries(securityEvents()),
    ['event'],
  ),
});

const CIRCUIT_STATES = ['closed', 'open', 'half_open'] as const;

/** Registered APIs share one label. */
function upstreamMetrics({ upstreams, guarded }: MetricsSources) {
  const loads = (): Map<string, UpstreamLoad[]> =>
    new Map([
      ...Map.groupBy(upstreams.loads(), ({ origin }) => new URL(origin).host),
      ['registered', guarded.loads()],
    ]);
  const sumOf = (count: (load: UpstreamLoad) => number) =>
    [...loads()].map(
      ([upstream, own]): Sample => [upstream, own.reduce((sum, load) => sum + count(load), 0)],
    );
  return {
    tool_gateway_upstream_in_flight: gauge(
      'Upstream requests in progress.',
      () => sumOf(({ inFlight }) => inFlight),
      ['upstream'],
    ),
    tool_gateway_upstream_queue: gauge(
      'Calls that wait until their upstream has fewer requests in progress.',
      () => sumOf(({ waiting }) => waiting),
      ['upstream'],
    ),
    tool_gateway_upstream_circuits: gauge(
      'Origins in use, by the state of their circuit.',
      () =>
        [...loads()].flatMap(([upstream, own]) =>
          CIRCUIT_STATES.map((state): Sample => {
            const inState = own.filter(({ circuit }) => circuit === state);
            return [upstream, state, inState.length];
          }),
        ),
      ['upstream', 'state'],
    ),
    tool_gateway_upstream_circuits_opened_total: counter(
      'How often a circuit has opened for a tenant.',
      () => [
        ['preset', upstreams.circuitsOpened()],
        ['registered', guarded.circuitsOpened()],
      ],
      ['source'],
    ),
  };
}

const storageMetrics = ({ cache, checkDependencies, postgres, replicas }: MetricsSources) => ({
  tool_gateway_cache_entries: gauge(
    'Responses in the memory of this process.',
    () => cache().entries,
  ),
  tool_gateway_cache_bytes: gauge('Size of these responses.', () => cache().bytes),
  tool_gateway_cache_lookups_total:
    counter('Cache look-ups: hit sent no request to the upstream, miss sent one.', () => {
      const { hits, misses } = cache();
      return Object.entries({ hit: hits, miss: misses });
    }, ['result']),
  tool_gateway_dependency_up: gauge(
    '1 while the database (embedded or postgres) or Redis (memory without one) can be read and written.',
    async () =>
      Object.entries(await checkDependencies()).map(
        ([dependency, { backend, status }]): Sample => [
          dependency,
          backend,
          status === 'healthy' ? 1 : 0,
        ],
      ),
    ['dependency', 'backend'],
    'min',
  ),
  tool_gateway_postgres_connections: gauge(
    'Connections to PostgreSQL, and queries that wait for one.',
    () => Object.entries(postgres() ?? {}),
    ['state'],
  ),
  tool_gateway_replicas: gauge(
    'Gateways that use the database, and those that stopped reporting without ending in order.',
    () => [
      ['living', replicas.living()],
      ['lost', replicas.lost().length],
    ],
    ['state'],
    'max',
  ),
  tool_gateway_replicas_lost_records: gauge(
    'Records that waited in the DATA_DIR of lost replicas when they last reported.',
    () => replicas.lost().reduce((sum, { waiting }) => sum + waiting, 0),
    [],
    'max',
  ),
});

const connectionMetrics = ({ streams, lostMessages, connections, budget }: MetricsSources) => ({
  tool_gateway_streams: gauge('Open client streams.', streams),
  tool_gateway_replica_messages_lost_total: counter(
    'Events for clients of other replicas that could not be sent, because Redis was away.',
    lostMessages,
  ),
  tool_gateway_connections: gauge('Open client connections.', () => connections().open),
  tool_gateway_connections_ended_total:
    counter('Connections that a bound has ended: unread for too long, displaced by a new one, or refused.', () => {
      const { open: _, ...ended } = connections();
      return Object.entries(ended);
    }, ['reason']),
  tool_gateway_memory_budget_bytes: gauge(
    'Memory that large bodies and responses may use.',
    () => budget().limitBytes,
  ),
  tool_gateway_memory_used_bytes: gauge(
    'Memory that large bodies and responses use now.',
    () => budget().usedBytes,
  ),
  tool_gateway_memory_refused_total: counter(
    'Bodies and responses refused because they did not fit.',
    () => budget().refused,
  ),
});

const auditMetrics = ({ audit, retention }: MetricsSources) => ({
  tool_gateway_audit_outbox: gauge('Records waiting for PostgreSQL.', () => audit().outbox),
  tool_gateway_audit_missing: gauge('Calls without a record; must be 0.', () => audit().missing),
  tool_gateway_audit_degraded: gauge(
    '1 while the audit log cannot be written or does not reach PostgreSQL.',
    () => (audit().degraded ? 1 : 0),
    [],
    'max',
  ),
  tool_gateway_audit_oldest_waiting_seconds: gauge(
    'How long the oldest record has been waiting for PostgreSQL.',
    () => audit().oldestWaitingSeconds,
    [],
    'max',
  ),
  tool_gateway_audit_dead_letters: gauge(
    'Records that PostgreSQL refuses, stored in audit.db.',
    () => audit().deadLetters,
  ),
  tool_gateway_audit_dead_letters_dropped: gauge(
    'Dead letters that were dropped for newer ones since the start.',
    () => audit().deadLettersDropped,
  ),
  tool_gateway_audit_deleted_total: counter(
    'Audit records that retention has deleted.',
    () => retention().deleted,
  ),
});

type MetricsSettings = Pick<
  Settings,
  'HOST' | 'METRICS_HOST' | 'METRICS_PORT' | 'WRITE_TIMEOUT_MS'
>;

/** Serves `/metrics` on METRICS_PORT, which clients need not reach. `read` must not reject. Throws StartupError. */
export const listenForMetrics = (
  { HOST, METRICS_HOST, METRICS_PORT: port, WRITE_TIMEOUT_MS }: MetricsSettings,
  read: () => Promise<string>,
): Promise<SmallServer> =>
  openSmallServer(
    (request, response) => {
      if (request.url !== '/metrics') {
        response.writeHead(404).end();
        return;
      }
      void read().then((text) => {
        response.writeHead(200, { 'content-type': Registry.PROMETHEUS_CONTENT_TYPE }).end(text);
      });
    },
    { host: METRICS_HOST ?? HOST, port, setting: 'METRICS_PORT' },
    WRITE_TIMEOUT_MS,
  );
