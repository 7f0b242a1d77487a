import { ActionIcon, Button, Checkbox, Group, List, Menu, Text } from '@mantine/core';
import { IconDots, IconPencil, IconRefresh, IconTrash } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AdminError } from '../api/admin-error.ts';
import { callAdmin } from '../api/call-admin.ts';
import { useTenant } from '../session/session.ts';
import { icon } from '../shared/buttons.tsx';
import { ConfirmDialog } from '../shared/confirm-dialog.tsx';
import { type Column, DataTable, useCursorPaging } from '../shared/data-table.tsx';
import { ErrorMessage } from '../shared/page.tsx';
import {
  KeyExpiry,
  KeyLastUsed,
  KeyLimits,
  KeyName,
  KeyOwner,
  KeyToday,
  KeyTools,
} from './key-cells.tsx';
import { type ApiKey, keyListQuery, keysOf } from './key-queries.ts';
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
  const paging = useCursorPaging();
  const list = useQuery(keyListQuery(slug, search, paging.cursor));
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const columns = useColumns(onAction);
  const choice = useChoice(chosen, setChosen);
  // Of the page that is shown: what is not in sight is not revoked.
  const shown = list.data?.keys.filter((key) => chosen.has(key.id) && isRevocable(key)) ?? [];
  return (
    <div>
      {onAction && <RevokeChosen keys={shown} onChoose={setChosen} />}
      <DataTable
        label={t('title')}
        query={list}
        paging={paging}
        columns={onAction ? [choice, ...columns] : columns}
        rows={list.data?.keys}
        rowKey={({ id }) => id}
        empty={empty}
      />
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
      { header: t('tools.label'), cell: (key) => <KeyTools apiKey={key} /> },
      { header: t('list.limits'), cell: (key) => <KeyLimits apiKey={key} /> },
      { header: t('list.lastUsed'), cell: (key) => <KeyLastUsed apiKey={key} /> },
      { header: t('list.today'), align: 'end', cell: (key) => <KeyToday apiKey={key} /> },
      { header: t('expiry.label'), cell: (key) => <KeyExpiry apiKey={key} /> },
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

interface RevokeChosenProps {
  /** At most the keys of one page. */
  readonly keys: readonly ApiKey[];
  readonly onChoose: (chosen: ReadonlySet<string>) => void;
}

/** Revokes the keys that are chosen, one by one, once their number has been typed. Those that failed stay chosen. */
function RevokeChosen({ keys, onChoose }: RevokeChosenProps) {
  const { t } = useTranslation('keys');
  const [isOpen, setOpen] = useState(false);
  const { revoke, failures } = useRevocation(keys, onChoose);
  const count = keys.length;
  return (
    <>
      {count > 0 && (
        <Group gap="xs" mb="xs" role="group" aria-label={t('bulk.label')}>
          <Text size="sm" role="status">
            {t('bulk.chosen', { count })}
          </Text>
          <Button
            size="xs"
            color="red.8"
            leftSection={icon(IconTrash)}
            onClick={() => setOpen(true)}
          >
            {t('bulk.revoke', { count })}
          </Button>
          <Button size="xs" variant="default" onClick={() => onChoose(new Set())}>
            {t('bulk.clear')}
          </Button>
        </Group>
      )}
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={t('bulk.title', { count })}
        action={t('actions.revoke')}
        isDangerous
        typed={String(count)}
        onConfirm={revoke}
      >
        {t('bulk.text')}
        <List size="sm" mt="xs">
          {keys.map(({ id, name }) => (
            <List.Item key={id}>
              {name}
              {failures.has(id) && (
                <Text size="xs" component="div" c="var(--outcome-gateway)">
                  <ErrorMessage code={failures.get(id)?.code} message={failures.get(id)?.message} />
                </Text>
              )}
            </List.Item>
          ))}
        </List>
      </ConfirmDialog>
    </>
  );
}

/** Revokes keys, and keeps why some could not be, by id. */
function useRevocation(keys: readonly ApiKey[], onChoose: RevokeChosenProps['onChoose']) {
  const { t } = useTranslation('keys');
  const { slug: tenant } = useTenant();
  const queries = useQueryClient();
  const [failures, setFailures] = useState<ReadonlyMap<string, AdminError>>(new Map());
  const revoke = async (): Promise<void> => {
    const failed = new Map<string, AdminError>();
    for (const { id } of keys) {
      await callAdmin('DELETE /tenants/:tenant/keys/:id', { tenant, id }).catch(
        (error: AdminError) => failed.set(id, error),
      );
    }
    setFailures(failed);
    onChoose(new Set(failed.keys()));
    await queries.invalidateQueries({ queryKey: keysOf(tenant) });
    if (failed.size > 0) throw new Error(t('bulk.failed', { count: failed.size }));
  };
  return { revoke, failures };
}
