import { Code, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { LinkAnchor } from '../shared/buttons.tsx';
import type { Column } from '../shared/data-table.tsx';
import { CallOutcome, type Ending } from '../shared/outcome.tsx';
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
      narrow: 'bare',
      isTitle: false,
      width: '9rem',
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
      header: t('filter.tool'),
      isTitle: true,
      cell: ({ tool }) => <Code fz="sm">{tool}</Code>,
    },
    {
      header: t('filter.status'),
      narrow: 'beside',
      cell: (call) => <CallOutcome ending={endingOf(call)} />,
    },
    {
      header: t('fact.key'),
      narrow: 'bare',
      cell: ({ apiKeyId }) => (
        <Clipped title={apiKeyId}>{nameOf.get(apiKeyId) || shortId(apiKeyId)}</Clipped>
      ),
    },
    {
      header: t('filter.client'),
      narrow: 'hidden',
      cell: ({ clientName }) => (
        <Clipped title={clientName ?? undefined}>{clientName ?? '–'}</Clipped>
      ),
    },
    {
      header: t('filter.cacheStatus'),
      narrow: 'hidden',
      cell: ({ cacheStatus }) => cacheStatus ?? '–',
    },
    {
      header: t('fact.duration'),
      narrow: 'bare',
      align: 'end',
      cell: ({ durationMs }) => duration(durationMs),
    },
  ];
}

const Clipped = Text.withProps({ inherit: true, maw: '14rem', truncate: true });

/** Ids of one moment differ at their end. */
const shortId = (id: string): string => (id.length > 14 ? `${id.slice(0, 7)}…${id.slice(-4)}` : id);
