import type { Registry } from 'prom-client';
import type { ConnectionStats } from '../connections/connections.ts';
import { addCounter, addGauge } from './instruments.ts';

export interface ConnectionSources {
  readonly streams: () => number;
  readonly connections: () => ConnectionStats;
}

/** Registers the metrics of client connections and streams. */
export function addConnectionMetrics(
  registry: Registry,
  { streams, connections }: ConnectionSources,
): void {
  addGauge(registry, {
    name: 'tool_gateway_streams',
    help: 'Open client streams.',
    read: streams,
  });
  addGauge(registry, {
    name: 'tool_gateway_connections',
    help: 'Open client connections.',
    read: () => connections().open,
  });
  addCounter(registry, {
    name: 'tool_gateway_connections_ended_total',
    help: 'Connections that a bound has ended: unread for too long, displaced by a new one, or refused.',
    labelNames: ['reason'],
    read: () => {
      const { unread, displaced, refused } = connections();
      const ended = Object.entries({ unread, displaced, refused });
      return ended.map(([reason, count]) => [{ reason }, count]);
    },
  });
}
