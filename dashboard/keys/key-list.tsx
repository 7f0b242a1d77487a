import { ActionIcon, Checkbox, Menu } from '@mantine/core';
import { IconDots, IconPencil, IconRefresh, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useTenant } from '../session/session.ts';
import { icon } from '../shared/buttons.tsx';
import { type Column, DataTable, Paging, useCursorPaging } from '../shared/data-table.tsx';
import { ErrorAlert } from '../shared/page.tsx';
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
import { RevokeChosen } from './revoke-chosen.tsx';

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
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const columns = useColumns(onAction);
  const choice = useChoice(chosen, setChosen);
  if (error) return <ErrorAlert error={error} onRetry={refetch} />;
  // Of the page that is shown: what is not in sight is not revoked.
  const shown = data?.keys.filter((key) => chosen.has(key.id) && isRevocable(key)) ?? [];
  return (
    <div>
      {onAction && <RevokeChosen keys={shown} onChoose={setChosen} />}
      <DataTable
        label={t('title')}
        columns={onAction ? [choice, ...columns] : columns}
        rows={data?.keys}
        rowKey={({ id }) => id}
        empty={empty}
      />
      <Paging paging={paging} nextCursor={data?.nextCursor} />
    </div>
  );
}

const isRevocable = ({ state }: ApiKey): boolean => state !== 'revoked';

/** A column in which keys are chosen. */
function useChoice(
  chosen: ReadonlySet<string>,
  setChosen: (chosen: ReadonlySet<string>) => void,
): Column<ApiKey> {
  const { t } = useTranslation('keys');
  return {
    header: t('bulk.choose'),
    isActions: true,
    isTitle: false,
    width: '2.5rem',
    cell: (key) =>
      isRevocable(key) && (
        <Checkbox
          size="sm"
          aria-label={t('bulk.chooseKey', { name: key.name })}
          checked={chosen.has(key.id)}
          onChange={({ currentTarget }) => {
            const others = [...chosen].filter((id) => id !== key.id);
            setChosen(new Set(currentTarget.checked ? [...others, key.id] : others));
          }}
        />
      ),
  };
}

function useColumns(onAction: KeyListProps['onAction']): Column<ApiKey>[] {
  const { t } = useTranslation('keys');
  return useMemo(
    () => [
      { header: t('list.name'), isTitle: true, cell: (key) => <KeyName apiKey={key} /> },
      { header: t('list.owner'), cell: (key) => <KeyOwner apiKey={key} /> },
      { header: t('list.tools'), cell: (key) => <KeyTools apiKey={key} /> },
      { header: t('list.limits'), cell: (key) => <KeyLimits apiKey={key} /> },
      { header: t('list.lastUsed'), cell: (key) => <KeyLastUsed apiKey={key} /> },
      { header: t('list.today'), align: 'end', cell: (key) => <KeyToday apiKey={key} /> },
      { header: t('list.expires'), cell: (key) => <KeyExpiry apiKey={key} /> },
      ...(onAction
        ? [
            {
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

export type KeyAction = 'change' | 'rotate' | 'revoke';

interface KeyActionsProps {
  readonly apiKey: ApiKey;
  readonly onAction: (action: KeyAction, key: ApiKey) => void;
}

/** What can be done with a key that is not revoked. */
function KeyActions({ apiKey, onAction }: KeyActionsProps) {
  const { t } = useTranslation('keys');
  if (apiKey.state === 'revoked') return null;
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t('actions.label', { name: apiKey.name })}
        >
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={icon(IconPencil)} onClick={() => onAction('change', apiKey)}>
          {t('actions.change')}
        </Menu.Item>
        {apiKey.rotatedTo === null && apiKey.kind === 'api' && (
          <Menu.Item leftSection={icon(IconRefresh)} onClick={() => onAction('rotate', apiKey)}>
            {t('actions.rotate')}
          </Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Item
          color="red"
          leftSection={icon(IconTrash)}
          onClick={() => onAction('revoke', apiKey)}
        >
          {t('actions.revoke')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
