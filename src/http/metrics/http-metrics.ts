import type { Registry } from 'prom-client';
import type { SecurityEvent } from '../../access/trail/security-log.ts';
import { addCounter } from './instruments.ts';

export interface HttpSources {
  /** Responses since the start, by status. */
  readonly responses: () => Iterable<readonly [status: number, count: number]>;
  readonly securityEvents: () => Readonly<Record<SecurityEvent, number>>;
}

/** Registers the metrics of HTTP requests and of who may make them. */
export function addHttpMetrics(
  registry: Registry,
  { responses, securityEvents }: HttpSources,
): void {
  addCounter(registry, {
    name: 'tool_gateway_http_requests_total',
    help: 'Requests with a response, by status. A failed call of POST /mcp may have 200.',
    labelNames: ['status'],
    read: function* () {
      for (const [status, count] of responses()) yield [{ status: String(status) }, count];
    },
  });
  addCounter(registry, {
    name: 'tool_gateway_auth_failures_total',
    help: 'Requests with a wrong API key: refused, refused because of earlier failures, or not checked for lack of capacity.',
    labelNames: ['reason'],
    read: () => {
      const { auth_failed, auth_blocked, auth_overloaded } = securityEvents();
      return [
        [{ reason: 'wrong_key' }, auth_failed],
        [{ reason: 'blocked' }, auth_blocked],
        [{ reason: 'overloaded' }, auth_overloaded],
      ];
    },
  });
  addCounter(registry, {
    name: 'tool_gateway_security_events_total',
    help: 'Events of the security log, including those whose lines were suppressed.',
    labelNames: ['event'],
    read: () => Object.entries(securityEvents()).map(([event, count]) => [{ event }, count]),
  });
}
