import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Column } from '../shared/data-table.tsx';
import { Outcome, originOf } from '../shared/outcome.tsx';
import { useFormat } from '../shared/use-format.ts';
import { type AuditRecordData, type NamesData, useCallerNames } from './audit-queries.ts';
import classes from './call-columns.module.css';

type ShownCall = Pick<
  AuditRecordData,
  'auditId' | 'tool' | 'apiKeyId' | 'clientName' | 'cacheStatus' | 'durationMs'
>;

/** How a table shows what its calls do not all name alike. */
interface CallCells<Call> {
  readonly timeOf: (call: Call) => ReactNode;
  readonly endingOf: (call: Call) => Ending;
}

/** The columns of a table of calls. The time is a link to the call's record. */
export function useCallColumns<Call extends ShownCall>(
  names: NamesData | undefined,
  { timeOf, endingOf }: CallCells<Call>,
): Column<Call>[] {
  const { t } = useTranslation('audit');
  const { duration } = useFormat();
  const nameOf = useCallerNames(names);
  return [
    {
      header: t('column.time'),
      isTitle: false,
      width: '13rem',
      cell: (call) => (
        <Link
          to="/admin/audit"
          search={(before) => ({ ...before, record: call.auditId })}
          className={classes.link}
        >
          {timeOf(call)}
        </Link>
      ),
    },
    {
      header: t('column.tool'),
      isTitle: true,
      cell: ({ tool }) => <span className={classes.mono}>{tool}</span>,
    },
    {
      header: t('column.outcome'),
      cell: (call) => <CallOutcome ending={endingOf(call)} />,
    },
    {
      header: t('column.key'),
      cell: ({ apiKeyId }) => (
        <span className={classes.clip} title={apiKeyId}>
          {nameOf.get(apiKeyId) || shortId(apiKeyId)}
        </span>
      ),
    },
    {
      header: t('column.client'),
      cell: ({ clientName }) => (
        <span className={classes.clip} title={clientName ?? undefined}>
          {clientName ?? '–'}
        </span>
      ),
    },
    { header: t('column.cache'), cell: ({ cacheStatus }) => cacheStatus ?? '–' },
    { header: t('column.duration'), align: 'end', cell: ({ durationMs }) => duration(durationMs) },
  ];
}

/** Ids of one moment differ at their end. */
const shortId = (id: string): string => (id.length > 14 ? `${id.slice(0, 7)}…${id.slice(-4)}` : id);

/** How a call ended. */
interface Ending {
  readonly outcome: 'ok' | 'upstream_error' | 'error';
  /** The code of the error. */
  readonly code: string | null;
  /** Of the upstream. */
  readonly status: number | null;
}

export const endingOf = ({ outcome, error, upstream }: AuditRecordData): Ending => ({
  outcome,
  code: error?.code ?? null,
  status: upstream.status,
});

/** What a call came to, and the cause of a failure: the code of the error, or the status of the upstream. */
export function CallOutcome({ ending: { outcome, code, status } }: { readonly ending: Ending }) {
  const cause = outcome === 'ok' ? null : (code ?? status);
  return (
    <Outcome origin={originOf(outcome, code)}>
      {cause !== null && <span className={classes.cause}>{cause}</span>}
    </Outcome>
  );
}
