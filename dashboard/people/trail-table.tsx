import { Code, Text } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { AdminAnswer } from '../api/admin-types.ts';
import { type Column, DataTable } from '../shared/data-table.tsx';
import { EmptyState } from '../shared/empty-state.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import { isTrailAction } from './trail-actions.ts';

type Entry = AdminAnswer<'GET /trail'>['entries'][number];

interface TrailTableProps {
  readonly entries: readonly Entry[] | undefined;
  readonly withTenant: boolean;
}

export function TrailTable({ entries, withTenant }: TrailTableProps) {
  const { t } = useTranslation('people');
  const tenant: Column<Entry> = {
    key: 'tenant',
    header: t('tenant'),
    cell: ({ tenantSlug }) => tenantSlug ?? '–',
  };
  const columns: Column<Entry>[] = [
    {
      key: 'time',
      header: t('trail.time'),
      width: '9rem',
      isTitle: false,
      cell: (row) => <RelativeTime at={row.timestamp} />,
    },
    {
      key: 'action',
      header: t('trail.action'),
      isTitle: true,
      width: '11rem',
      cell: (row) => <Action entry={row} />,
    },
    {
      key: 'actor',
      header: t('trail.actor'),
      cell: (row) => row.actorEmail ?? <Code>{row.actor}</Code>,
    },
    ...(withTenant ? [tenant] : []),
    {
      key: 'subject',
      header: t('trail.subject'),
      cell: (row) => row.subjectEmail ?? <Code>{row.subjectId}</Code>,
    },
    { key: 'details', header: t('trail.details'), cell: (row) => <Details entry={row} /> },
  ];
  return (
    <DataTable
      label={t('trail.title')}
      rows={entries}
      rowKey={({ id }) => id}
      columns={columns}
      empty={<EmptyState icon={IconHistory} title={t('trail.empty')} text={t('trail.emptyText')} />}
    />
  );
}

function Action({ entry: { action } }: { readonly entry: Entry }) {
  const { t } = useTranslation('people');
  return (
    <Text size="sm" fw={500}>
      {isTrailAction(action) ? t(`trail.actions.${action}`) : action}
    </Text>
  );
}

const MAX_DETAILS = 300;

/** The members of the details, each on a line of its own; values of others are text, whatever they contain. */
function Details({ entry: { details } }: { readonly entry: Entry }) {
  const given = Object.entries(details).filter(([, value]) => value !== null);
  const lines = given.map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return `${name}: ${text}`.slice(0, MAX_DETAILS);
  });
  return (
    <div>
      {lines.map((line) => (
        <Text key={line} size="xs" c="dimmed">
          {line}
        </Text>
      ))}
    </div>
  );
}
