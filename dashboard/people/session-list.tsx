import { Badge, Button, Group, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AdminAnswer } from '../api/admin-types.ts';
import { callAdmin } from '../api/call-admin.ts';
import { ConfirmDialog } from '../shared/confirm-dialog.tsx';
import { DataTable } from '../shared/data-table.tsx';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import { describeBrowser } from './describe-browser.ts';
import { Section } from './section.tsx';

export const sessionsKey = ['me', 'sessions'] as const;

type Session = AdminAnswer<'GET /me/sessions'>['sessions'][number];

/** Where a person is signed in, with buttons to sign out there. */
export function SessionList() {
  const { t } = useTranslation('people');
  const [isEnding, setEnding] = useState(false);
  const queries = useQueryClient();
  const reload = () => queries.invalidateQueries({ queryKey: sessionsKey });
  const { data, error, refetch } = useQuery({
    queryKey: sessionsKey,
    queryFn: ({ signal }) => callAdmin('GET /me/sessions', {}, { signal }),
  });
  const end = useMutation({
    mutationFn: (session: string) => callAdmin('DELETE /me/sessions/:session', { session }),
    onSettled: reload,
  });
  const others = data?.sessions.filter(({ isCurrent }) => !isCurrent) ?? [];
  const button = (
    <Button variant="default" disabled={others.length === 0} onClick={() => setEnding(true)}>
      {t('sessions.endAll')}
    </Button>
  );
  return (
    <Section title={t('sessions.title')} description={t('sessions.description')} actions={button}>
      {(error ?? end.error) && (
        <ErrorAlert error={error ?? end.error ?? new Error()} onRetry={refetch} />
      )}
      {!error && (
        <DataTable
          label={t('sessions.title')}
          rows={data?.sessions}
          rowKey={({ id }) => id}
          empty={null}
          columns={[
            {
              key: 'device',
              header: t('sessions.device'),
              cell: (row) => <Device session={row} />,
            },
            { key: 'address', header: t('sessions.address'), cell: (row) => row.clientIp ?? '–' },
            {
              key: 'created',
              header: t('sessions.created'),
              cell: (row) => <RelativeTime at={row.createdAt} />,
            },
            {
              key: 'end',
              header: t('actions'),
              isActions: true,
              cell: (row) =>
                !row.isCurrent && (
                  <Button
                    size="compact-sm"
                    variant="subtle"
                    loading={end.isPending && end.variables === row.id}
                    onClick={() => end.mutate(row.id)}
                  >
                    {t('sessions.end')}
                  </Button>
                ),
            },
          ]}
        />
      )}
      <ConfirmDialog
        isOpen={isEnding}
        onClose={() => setEnding(false)}
        title={t('sessions.endAll')}
        action={t('sessions.endAll')}
        onConfirm={() => callAdmin('DELETE /me/sessions', {}).then(reload)}
      >
        {t('sessions.endAllText', { count: others.length })}
      </ConfirmDialog>
    </Section>
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
