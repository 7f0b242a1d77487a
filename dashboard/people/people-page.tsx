import { ActionIcon, Badge, Button, Checkbox, Group, Menu, Stack, Text } from '@mantine/core';
import { IconDots, IconKey, IconShield, IconShieldOff, IconUsers } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type AdminAnswer, ask, callAdmin } from '../api/call-admin.ts';
import { usePerson } from '../session/session.ts';
import { icon } from '../shared/buttons.tsx';
import { ConfirmDialog } from '../shared/confirm-dialog.tsx';
import { DataTable, useCursorPaging } from '../shared/data-table.tsx';
import { offerUndo } from '../shared/offer-undo.tsx';
import { EmptyState, ErrorAlert, PageHeader } from '../shared/page.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import { SecretOnce } from '../shared/secret-once.tsx';
import { HeldDialog, useHold } from '../shared/unsaved.tsx';
import { useFormat } from '../shared/use-format.ts';
import { NameAndEmail } from './name-and-email.tsx';

export type ListedPerson = AdminAnswer<'GET /people'>['people'][number];

/** Everyone who may sign in, for operators. */
export function PeoplePage() {
  const { t } = useTranslation('people');
  const { count } = useFormat();
  const paging = useCursorPaging();
  const queries = useQueryClient();
  const me = usePerson();
  const [resetting, setResetting] = useState<ListedPerson | null>(null);
  const [changing, setChanging] = useState<ListedPerson | null>(null);
  const list = useQuery({
    queryKey: ['people', paging.cursor],
    queryFn: ask('GET /people', { cursor: paging.cursor }),
  });
  const setOperator = async ({ id, isOperator }: ListedPerson): Promise<void> => {
    await callAdmin('PATCH /people/:person', { person: id, isOperator: !isOperator });
    await queries.invalidateQueries();
  };
  const changeOperator = async (person: ListedPerson): Promise<void> => {
    await setOperator(person);
    // Who gives up the own role cannot take it back.
    if (person.id === me?.id) return;
    const message = t(person.isOperator ? 'everyone.revoked' : 'everyone.granted', person);
    offerUndo(message, () => setOperator({ ...person, isOperator: !person.isOperator }));
  };
  const kind = changing?.isOperator ? 'revoke' : 'grant';
  return (
    <>
      <PageHeader title={t('everyone.title')} description={t('everyone.description')} />
      <DataTable
        query={list}
        paging={paging}
        label={t('everyone.title')}
        rows={list.data?.people}
        rowKey={({ id }) => id}
        empty={<EmptyState icon={IconUsers} title={t('everyone.title')} />}
        columns={[
          {
            header: t('name'),
            cell: (row) => <NameAndEmail {...row} />,
            sort: ({ name, email }) => name || email,
          },
          {
            header: t('role.label'),
            cell: (row) =>
              row.isOperator ? <Badge variant="light">{t('role.operator')}</Badge> : '–',
          },
          { header: t('tenants.title'), align: 'end', cell: (row) => count(row.tenants) },
          {
            header: t('created'),
            cell: (row) => <RelativeTime at={row.createdAt} />,
            sort: ({ createdAt }) => createdAt,
          },
          {
            header: t('actions'),
            isActions: true,
            cell: (row) => (
              <PersonMenu
                person={row}
                onReset={() => setResetting(row)}
                onChange={() => setChanging(row)}
              />
            ),
          },
        ]}
      />
      <PasswordReset person={resetting} onClose={() => setResetting(null)} />
      <ConfirmDialog
        isOpen={changing !== null}
        onClose={() => setChanging(null)}
        title={t(`everyone.${kind}Operator`)}
        action={t(`everyone.${kind}Operator`)}
        onConfirm={() => (changing ? changeOperator(changing) : Promise.resolve())}
        isDangerous={kind === 'revoke'}
      >
        {t(`everyone.${kind}Text`, { name: changing?.name ?? '' })}
      </ConfirmDialog>
    </>
  );
}

interface PersonMenuProps {
  readonly person: ListedPerson;
  readonly onReset: () => void;
  readonly onChange: () => void;
}

function PersonMenu({ person: { name, isOperator }, onReset, onChange }: PersonMenuProps) {
  const { t } = useTranslation('people');
  const Icon = isOperator ? IconShieldOff : IconShield;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={t('everyone.menuOf', { name })}>
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={icon(IconKey)} onClick={onReset}>
          {t('everyone.reset')}
        </Menu.Item>
        <Menu.Item leftSection={icon(Icon)} onClick={onChange}>
          {t(`everyone.${isOperator ? 'revoke' : 'grant'}Operator`)}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

interface Person {
  readonly id: string;
  readonly name: string;
}

interface PasswordResetProps {
  /** Null: the dialog is closed. */
  readonly person: Person | null;
  readonly onClose: () => void;
}

/** Gives a person a new password, which is shown once. */
function PasswordReset({ person, onClose }: PasswordResetProps) {
  const { t } = useTranslation('people');
  return (
    <HeldDialog opened={person !== null} onClose={onClose} title={t('everyone.reset')} centered>
      {person && <Resetting person={person} onClose={onClose} />}
    </HeldDialog>
  );
}

function Resetting({ person, onClose }: { person: Person; onClose: () => void }) {
  const { t } = useTranslation('people');
  const queries = useQueryClient();
  const [endsApps, setEndsApps] = useState(false);
  const reset = useMutation({
    mutationFn: () => callAdmin('POST /people/:person/password', { person: person.id, endsApps }),
    // A person whose address was unproved is replaced.
    onSuccess: () => queries.invalidateQueries({ queryKey: ['people'] }),
  });
  useHold(reset.isPending);
  if (reset.data) {
    const { password } = reset.data;
    return (
      <SecretOnce
        secret={password}
        kind="password"
        label={t('everyone.newPassword')}
        onSaved={onClose}
      />
    );
  }
  return (
    <Stack>
      {reset.error && <ErrorAlert error={reset.error} />}
      <Text size="sm">{t('everyone.resetText', { name: person.name })}</Text>
      <Checkbox
        label={t('everyone.endApps', { name: person.name })}
        checked={endsApps}
        onChange={(event) => setEndsApps(event.currentTarget.checked)}
      />
      <Group justify="flex-end" gap="xs">
        <Button color="red.8" loading={reset.isPending} onClick={() => reset.mutate()}>
          {t('everyone.reset')}
        </Button>
      </Group>
    </Stack>
  );
}
