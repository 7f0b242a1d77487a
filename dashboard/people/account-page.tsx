import {
  Badge,
  Button,
  Checkbox,
  Group,
  PasswordInput,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type AdminAnswer, ask, callAdmin } from '../api/call-admin.ts';
import { ConnectedApps } from '../connect/connected-apps.tsx';
import { meQuery, usePerson } from '../session/session.ts';
import { useCheckedForm } from '../shared/checked-form.tsx';
import { ConfirmDialog } from '../shared/confirm-dialog.tsx';
import { DataTable } from '../shared/data-table.tsx';
import { ErrorAlert, PageHeader, Panel } from '../shared/page.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import { AskingRowAction } from '../shared/row-action.tsx';
import { describeBrowser } from './describe-browser.ts';

/** What a person may change about itself. */
export function AccountPage() {
  const { t } = useTranslation('people');
  return (
    <>
      <PageHeader title={t('account.title')} description={t('account.description')} />
      <Stack gap="lg" maw="56rem">
        <ProfileForm />
        <PasswordForm />
        <ConnectedApps />
        <SessionList />
      </Stack>
    </>
  );
}

function ProfileForm() {
  const { t } = useTranslation('people');
  const person = usePerson();
  const queries = useQueryClient();
  const form = useForm({ initialValues: { name: person?.name ?? '' } });
  const save = useMutation({
    mutationFn: (values: { name: string }) => callAdmin('PATCH /me', values),
    onSuccess: async () => {
      form.resetDirty();
      await queries.invalidateQueries({ queryKey: meQuery.queryKey });
      notifications.show({ message: t('account.saved') });
    },
  });
  const checked = useCheckedForm(form.onSubmit((values) => save.mutate(values)));
  return (
    <Panel title={t('account.profile')}>
      <form {...checked.form}>
        <Stack maw="26rem">
          {save.error && <ErrorAlert error={save.error} />}
          <TextInput
            label={t('email')}
            value={person?.email ?? ''}
            readOnly
            variant="filled"
            autoComplete="username"
          />
          <TextInput
            {...form.getInputProps('name')}
            {...checked.field('name')}
            label={t('name')}
            maxLength={100}
            autoComplete="name"
            required
            withAsterisk={false}
          />
          <Group>
            <Button type="submit" loading={save.isPending} disabled={!form.isDirty()}>
              {t('save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}

const EMPTY = { currentPassword: '', newPassword: '', endsApps: false };

function PasswordForm() {
  const { t } = useTranslation('people');
  const queries = useQueryClient();
  const form = useForm({
    initialValues: EMPTY,
    validate: { newPassword: (text) => (isGoodPassword(text) ? null : t('passwordRule')) },
  });
  const change = useMutation({
    mutationFn: (values: typeof EMPTY) => callAdmin('POST /me/password', values),
    onSuccess: async () => {
      form.reset();
      await queries.invalidateQueries({ queryKey: ['me'] });
      notifications.show({ message: t('account.passwordChanged') });
    },
  });
  return (
    <Panel title={t('password')} description={t('account.passwordDescription')}>
      <form onSubmit={form.onSubmit((values) => change.mutate(values))} noValidate>
        <Stack maw="26rem">
          {change.error && <ErrorAlert error={change.error} />}
          <PasswordInput
            {...form.getInputProps('currentPassword')}
            label={t('account.currentPassword')}
            autoComplete="current-password"
          />
          <PasswordInput
            {...form.getInputProps('newPassword')}
            label={t('everyone.newPassword')}
            description={t('passwordRule')}
            autoComplete="new-password"
          />
          <Checkbox
            {...form.getInputProps('endsApps', { type: 'checkbox' })}
            label={t('account.endApps')}
            description={t('account.endAppsText')}
          />
          <Group>
            <Button
              type="submit"
              loading={change.isPending}
              disabled={!form.values.currentPassword || !form.values.newPassword}
            >
              {t('account.changePassword')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}

/** The gateway refuses other passwords. */
const MIN_LENGTH = 12;
const MAX_LENGTH = 128;

const isGoodPassword = (text: string): boolean =>
  text.length >= MIN_LENGTH && text.length <= MAX_LENGTH;

const sessionsKey = ['me', 'sessions'] as const;

type Session = AdminAnswer<'GET /me/sessions'>['sessions'][number];

/** Where a person is signed in, with buttons to sign out there. */
function SessionList() {
  const { t } = useTranslation('people');
  const [isEnding, setEnding] = useState(false);
  const queries = useQueryClient();
  const reload = () => queries.invalidateQueries({ queryKey: sessionsKey });
  const list = useQuery({
    queryKey: sessionsKey,
    queryFn: ask('GET /me/sessions', {}),
  });
  const end = async (session: string): Promise<void> => {
    await callAdmin('DELETE /me/sessions/:session', { session });
    await reload();
  };
  const others = list.data?.sessions.filter(({ isCurrent }) => !isCurrent) ?? [];
  const nameOf = ({ userAgent }: Session) => describeBrowser(userAgent) ?? t('sessions.unknown');
  const button = (
    <Button variant="default" disabled={others.length === 0} onClick={() => setEnding(true)}>
      {t('sessions.endAll')}
    </Button>
  );
  return (
    <Panel title={t('sessions.title')} description={t('sessions.description')} actions={button}>
      <DataTable
        query={list}
        label={t('sessions.title')}
        rows={list.data?.sessions}
        rowKey={({ id }) => id}
        empty={null}
        columns={[
          { header: t('sessions.device'), cell: (row) => <Device session={row} /> },
          { header: t('sessions.address'), cell: (row) => row.clientIp ?? '–' },
          { header: t('sessions.created'), cell: (row) => <RelativeTime at={row.createdAt} /> },
          {
            header: t('actions'),
            isActions: true,
            cell: (row) =>
              !row.isCurrent && (
                <AskingRowAction
                  label={t('sessions.end')}
                  name={t('sessions.endOf', { browser: nameOf(row) })}
                  title={t('sessions.endTitle', { browser: nameOf(row) })}
                  onConfirm={() => end(row.id)}
                >
                  {t('sessions.endText')}
                </AskingRowAction>
              ),
          },
        ]}
      />
      <ConfirmDialog
        isOpen={isEnding}
        onClose={() => setEnding(false)}
        title={t('sessions.endAll')}
        action={t('sessions.endAll')}
        onConfirm={() => callAdmin('DELETE /me/sessions', {}).then(reload)}
        isDangerous
      >
        {t('sessions.endAllText', { count: others.length })}
      </ConfirmDialog>
    </Panel>
  );
}

function Device({ session }: { readonly session: Session }) {
  const { t } = useTranslation('people');
  return (
    <Group gap="xs">
      <Text size="sm" fw={500}>
        {describeBrowser(session.userAgent) ?? t('sessions.unknown')}
      </Text>
      {session.isCurrent && (
        <Badge variant="light" size="sm">
          {t('sessions.current')}
        </Badge>
      )}
    </Group>
  );
}
