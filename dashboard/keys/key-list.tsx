import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useTenant } from '../app/tenant-in-use.ts';
import { type Column, DataTable } from '../shared/data-table.tsx';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { Paging, useCursorPaging } from '../shared/paging.tsx';
import { type KeyAction, KeyActions } from './key-actions.tsx';
import {
  KeyExpiry,
  KeyLastUsed,
  KeyLimits,
  KeyName,
  KeyOwner,
  KeyToday,
  KeyTools,
} from './key-cells.tsx';
import { type ApiKey, keyListQuery } from './key-queries.ts';
import type { KeySearch } from './key-search.ts';

export interface KeyListProps {
  readonly search: KeySearch;
  readonly empty: ReactNode;
  /** Undefined for people who may only look. */
  readonly onAction: ((action: KeyAction, key: ApiKey) => void) | undefined;
}

export function KeyList({ search, empty, onAction }: KeyListProps) {
  const { t } = useTranslation('keys');
  const { slug } = useTenant();
  const paging = useCursorPaging(JSON.stringify([slug, search]));
  const { data, error, refetch } = useQuery(keyListQuery(slug, search, paging.cursor));
  const columns = useColumns(onAction);
  if (error) return <ErrorAlert error={error} onRetry={refetch} />;
  return (
    <div>
      <DataTable
        label={t('title')}
        columns={columns}
        rows={data?.keys}
        rowKey={({ id }) => id}
        empty={empty}
      />
      <Paging paging={paging} nextCursor={data?.nextCursor} />
    </div>
  );
}

function useColumns(onAction: KeyListProps['onAction']): Column<ApiKey>[] {
  const { t } = useTranslation('keys');
  return useMemo(
    () => [
      { key: 'name', header: t('list.name'), cell: (key) => <KeyName apiKey={key} /> },
      { key: 'owner', header: t('list.owner'), cell: (key) => <KeyOwner apiKey={key} /> },
      { key: 'tools', header: t('list.tools'), cell: (key) => <KeyTools apiKey={key} /> },
      { key: 'limits', header: t('list.limits'), cell: (key) => <KeyLimits apiKey={key} /> },
      { key: 'used', header: t('list.lastUsed'), cell: (key) => <KeyLastUsed apiKey={key} /> },
      {
        key: 'today',
        header: t('list.today'),
        align: 'end',
        cell: (key) => <KeyToday apiKey={key} />,
      },
      { key: 'expiry', header: t('list.expires'), cell: (key) => <KeyExpiry apiKey={key} /> },
      ...(onAction
        ? [
            {
              key: 'actions',
              header: t('list.actions'),
              isActions: true,
              cell: (key: ApiKey) => <KeyActions apiKey={key} onAction={onAction} />,
            },
          ]
        : []),
    ],
    [t, onAction],
  );
}
