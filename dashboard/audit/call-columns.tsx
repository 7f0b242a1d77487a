import { Code, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { LinkAnchor } from '../shared/buttons.tsx';
import type { Column } from '../shared/data-table.tsx';
import { Outcome, originOf } from '../shared/outcome.tsx';
import { useFormat } from '../shared/use-format.ts';
import { type AuditRecordData, type NamesData, useCallerNames } from './audit-queries.ts';

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
      header: t('fact.time'),
      isTitle: false,
      width: '13rem',
      cell: (call) => (
        <LinkAnchor
          to="/admin/audit"
          search={(before: object) => ({ ...before, record: call.auditId })}
          inherit
          c="inherit"
          underline="always"
        >
          {timeOf(call)}
        </LinkAnchor>
      ),
    },
    {
      header: t('fact.tool'),
      isTitle: true,
      cell: ({ tool }) => <Code fz="sm">{tool}</Code>,
    },
    {
      header: t('fact.outcome'),
      cell: (call) => <CallOutcome ending={endingOf(call)} />,
    },
    {
      header: t('fact.key'),
      cell: ({ apiKeyId }) => (
        <Clipped title={apiKeyId}>{nameOf.get(apiKeyId) || shortId(apiKeyId)}</Clipped>
      ),
    },
    {
      header: t('fact.client'),
      cell: ({ clientName }) => (
        <Clipped title={clientName ?? undefined}>{clientName ?? '–'}</Clipped>
      ),
    },
    { header: t('fact.cache'), cell: ({ cacheStatus }) => cacheStatus ?? '–' },
    { header: t('fact.duration'), align: 'end', cell: ({ durationMs }) => duration(durationMs) },
  ];
}

const Clipped = Text.withProps({ inherit: true, maw: '14rem', truncate: true });

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
      {cause !== null && (
        <Text span size="xs" ff="monospace" c="dimmed">
          {cause}
        </Text>
      )}
    </Outcome>
  );
}
