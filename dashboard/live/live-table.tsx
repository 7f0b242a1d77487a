import { IconActivityHeartbeat } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { LiveCall } from '../../src/dialects/admin/live-calls.ts';
import type { NamesData } from '../audit/audit-queries.ts';
import { useCallColumns } from '../audit/call-columns.tsx';
import { DataTable } from '../shared/data-table.tsx';
import { EmptyState } from '../shared/empty-state.tsx';

interface LiveTableProps {
  readonly calls: readonly LiveCall[];
  readonly names: NamesData | undefined;
  readonly isFiltered: boolean;
}

export function LiveTable({ calls, names, isFiltered }: LiveTableProps) {
  const { t } = useTranslation('live');
  const navigate = useNavigate();
  const timeOfDay = useTimeOfDay();
  const columns = useCallColumns<LiveCall>(names, {
    timeOf: ({ at }) => timeOfDay(at),
    causeOf: ({ outcome, error, upstreamStatus }) =>
      outcome === 'ok' ? null : (error ?? String(upstreamStatus ?? '')),
  });
  return (
    <DataTable<LiveCall>
      label={t('table')}
      columns={columns}
      rows={calls}
      rowKey={({ auditId }) => auditId}
      onOpen={({ auditId }) =>
        void navigate({ to: '/admin/audit', search: (before) => ({ ...before, record: auditId }) })
      }
      empty={
        <EmptyState
          icon={IconActivityHeartbeat}
          title={t(isFiltered ? 'nothingMatches' : 'nothing')}
          text={t(isFiltered ? 'nothingMatchesText' : 'nothingText')}
        />
      }
    />
  );
}

/** Formats a time as the clock with tenths of a second: many calls end within one. */
function useTimeOfDay(): (at: string) => string {
  const { i18n } = useTranslation();
  const format = new Intl.DateTimeFormat(i18n.language, {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 1,
    hourCycle: 'h23',
  });
  return (at) => format.format(new Date(at));
}
