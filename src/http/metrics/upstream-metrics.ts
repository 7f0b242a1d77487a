import type { Registry } from 'prom-client';
import { addCounter, addLabelledGauge, type LabelledGaugeDefinition } from './instruments.ts';

const CIRCUIT_STATES = ['closed', 'open', 'half_open'] as const;

/** What one origin carries now. */
interface UpstreamLoad {
  readonly origin: string;
  readonly circuit: (typeof CIRCUIT_STATES)[number];
  readonly inFlight: number;
  readonly waiting: number;
}

interface LoadedClient {
  loads(): UpstreamLoad[];
  circuitsOpened(): number;
}

export interface UpstreamSources {
  /** The client of presets, and that of registered APIs. */
  readonly upstreams: LoadedClient;
  readonly guarded: LoadedClient;
}

/** Registers the metrics of the circuits and queues of upstreams. Those of registered APIs share one label. */
export function addUpstreamMetrics(registry: Registry, sources: UpstreamSources): void {
  const loads = (): Map<string, UpstreamLoad[]> =>
    new Map([
      ...Map.groupBy(sources.upstreams.loads(), ({ origin }) => new URL(origin).host),
      ['registered', sources.guarded.loads()],
    ]);
  const sumOf = (count: (load: UpstreamLoad) => number) => () =>
    [...loads()].map(
      ([upstream, own]) => [{ upstream }, own.reduce((sum, load) => sum + count(load), 0)] as const,
    );
  const gauges: readonly LabelledGaugeDefinition<'upstream'>[] = [
    {
      name: 'tool_gateway_upstream_in_flight',
      help: 'Upstream requests in progress.',
      labelNames: ['upstream'],
      read: sumOf(({ inFlight }) => inFlight),
    },
    {
      name: 'tool_gateway_upstream_queue',
      help: 'Calls that wait until their upstream has fewer requests in progress.',
      labelNames: ['upstream'],
      read: sumOf(({ waiting }) => waiting),
    },
  ];
  for (const gauge of gauges) addLabelledGauge(registry, gauge);
  addLabelledGauge(registry, {
    name: 'tool_gateway_upstream_circuits',
    help: 'Origins in use, by the state of their circuit.',
    labelNames: ['upstream', 'state'],
    read: () =>
      [...loads()].flatMap(([upstream, own]) =>
        CIRCUIT_STATES.map(
          (state) =>
            [{ upstream, state }, own.filter(({ circuit }) => circuit === state).length] as const,
        ),
      ),
  });
  addCounter(registry, {
    name: 'tool_gateway_upstream_circuits_opened_total',
    help: 'How often a circuit has opened, for all tenants or for one.',
    labelNames: ['source'],
    read: () => [
      [{ source: 'preset' }, sources.upstreams.circuitsOpened()],
      [{ source: 'registered' }, sources.guarded.circuitsOpened()],
    ],
  });
}
