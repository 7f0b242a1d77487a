import type { Registry } from 'prom-client';
import type { AuditStats } from '../../audit/record/audit-record.ts';
import type { RetentionStats } from '../../audit/retention/audit-retention.ts';
import { addCounter, addGauge, type GaugeDefinition } from './instruments.ts';

export interface AuditSources {
  readonly audit: () => AuditStats;
  readonly retention: () => RetentionStats;
}

/** Registers the metrics of the audit log and its retention. */
export function addAuditMetrics(registry: Registry, { audit, retention }: AuditSources): void {
  const gauges: readonly GaugeDefinition[] = [
    {
      name: 'tool_gateway_audit_outbox',
      help: 'Records waiting for PostgreSQL.',
      read: () => audit().outbox,
    },
    {
      name: 'tool_gateway_audit_missing',
      help: 'Calls without a record; must be 0.',
      read: () => audit().missing,
    },
    {
      name: 'tool_gateway_audit_degraded',
      help: '1 while the audit log cannot be written or does not reach PostgreSQL.',
      read: () => (audit().degraded ? 1 : 0),
    },
    {
      name: 'tool_gateway_audit_oldest_waiting_seconds',
      help: 'How long the oldest record has been waiting for PostgreSQL.',
      read: () => audit().oldestWaitingSeconds,
    },
    {
      name: 'tool_gateway_audit_dead_letters',
      help: 'Records that PostgreSQL refuses, stored in audit.db.',
      read: () => audit().deadLetters,
    },
    {
      name: 'tool_gateway_audit_dead_letters_dropped',
      help: 'Dead letters that were dropped for newer ones since the start.',
      read: () => audit().deadLettersDropped,
    },
    {
      name: 'tool_gateway_audit_retention_refused',
      help: '1 while retention keeps records that are too old by the clock, because the clock may be wrong.',
      read: () => (retention().refused ? 1 : 0),
    },
  ];
  for (const gauge of gauges) addGauge(registry, gauge);
  addCounter(registry, {
    name: 'tool_gateway_audit_deleted_total',
    help: 'Audit records that retention has deleted.',
    read: () => [[{}, retention().deleted]],
  });
}
