import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { DataTable } from '../shared/data-table.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import { reasonOf } from './api-facts.tsx';
import type { Api } from './queries.ts';

type Entry = Api['history'][number];

/** The latest changes of an API. */
export function HistoryTable({ api }: { readonly api: Api }) {
  const { t } = useTranslation('apis');
  return (
    <DataTable
      label={t('history.label')}
      rows={api.history}
      rowKey={({ at, action, details }) => `${at} ${action} ${JSON.stringify(details)}`}
      empty={<Text size="sm">{t('history.none')}</Text>}
      columns={[
        { key: 'action', header: t('column.action'), cell: (entry) => <Action entry={entry} /> },
        { key: 'who', header: t('column.who'), cell: ({ actor }) => actor },
        {
          key: 'when',
          header: t('column.when'),
          align: 'end',
          cell: ({ at }) => <RelativeTime at={at} />,
        },
      ]}
    />
  );
}

const ACTIONS = ['created', 'changed', 'refreshed', 'approved', 'rejected', 'deleted'] as const;

function Action({ entry: { action, details } }: { readonly entry: Entry }) {
  const { t } = useTranslation('apis');
  const known = ACTIONS.find((each) => `registration.${each}` === action);
  if (!known) return action;
  return t(`history.action.${known}`, {
    members: membersOf(details),
    reason: reasonOf(details) || '–',
  });
}

function membersOf(details: unknown): string {
  const { members } = (details ?? {}) as { readonly members?: unknown };
  return Array.isArray(members) ? members.join(', ') : '';
}
