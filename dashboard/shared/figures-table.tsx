import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { AdminAnswer } from '../api/call-admin.ts';
import { type CallsFilter, CallsLink } from './calls-link.tsx';
import { DataTable, type DataTableProps } from './data-table.tsx';
import { FAILED, failuresOf } from './outcome.tsx';
import { useFormat } from './use-format.ts';

/** A tool, key, upstream or tenant with the figures of its calls. */
export type FiguresGroup = AdminAnswer<'GET /tenants/:tenant/statistics/totals'>['groups'][number];

interface FiguresTableProps extends Pick<DataTableProps<FiguresGroup>, 'label' | 'query'> {
  readonly groups: readonly FiguresGroup[] | undefined;
  /** The name of a group, which leads to it. */
  readonly name: (group: FiguresGroup) => ReactNode;
  /** Finds the calls of a group in the audit log. */
  readonly calls?: (group: FiguresGroup) => CallsFilter | undefined;
}

/** Calls, failed calls and latency of each group. */
export function FiguresTable({ groups, name, calls, ...table }: FiguresTableProps) {
  const { t } = useTranslation('shared');
  const { count, percent, duration } = useFormat();
  const failed = ({ figures }: FiguresGroup) =>
    figures.calls === 0 ? 0 : failuresOf(figures) / figures.calls;
  const failedOf = (group: FiguresGroup) => {
    const all = failuresOf(group.figures) > 0 ? calls?.(group) : undefined;
    return all && { ...all, ...FAILED };
  };
  return (
    <DataTable
      {...table}
      rows={groups}
      rowKey={({ subject }) => subject ?? ''}
      empty={t('figures.empty')}
      columns={[
        {
          header: t('figures.name'),
          cell: name,
          sort: (group) => group.name ?? group.subject,
        },
        {
          header: t('figures.calls'),
          align: 'end',
          cell: (group) => (
            <CallsLink calls={calls?.(group)}>{count(group.figures.calls)}</CallsLink>
          ),
          sort: ({ figures }) => figures.calls,
        },
        {
          header: t('figures.failed'),
          align: 'end',
          cell: (group) => <CallsLink calls={failedOf(group)}>{percent(failed(group))}</CallsLink>,
          sort: failed,
        },
        {
          header: 'p95',
          align: 'end',
          cell: ({ figures }) => (figures.p95Ms === null ? '–' : duration(figures.p95Ms)),
          sort: ({ figures }) => figures.p95Ms,
        },
      ]}
    />
  );
}
