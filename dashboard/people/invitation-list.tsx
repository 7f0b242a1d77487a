import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { callAdmin } from '../api/call-admin.ts';
import { DataTable } from '../shared/data-table.tsx';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import { Section } from './section.tsx';

export const invitationsKey = (tenant: string) => ['invitations', tenant] as const;

/** Invitations that nobody has used yet; nothing if there are none. */
export function InvitationList({ tenant }: { readonly tenant: string }) {
  const { t } = useTranslation('people');
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery({
    queryKey: invitationsKey(tenant),
    queryFn: ({ signal }) => callAdmin('GET /tenants/:tenant/invitations', { tenant }, { signal }),
  });
  const withdraw = useMutation({
    mutationFn: (invitation: string) =>
      callAdmin('DELETE /tenants/:tenant/invitations/:invitation', { tenant, invitation }),
    onSettled: () => queries.invalidateQueries({ queryKey: invitationsKey(tenant) }),
  });
  if (error) return <ErrorAlert error={error} onRetry={refetch} />;
  if (!data || data.invitations.length === 0) return null;
  return (
    <Section title={t('invitations.title')} description={t('invitations.description')}>
      {withdraw.error && <ErrorAlert error={withdraw.error} />}
      <DataTable
        label={t('invitations.title')}
        rows={data.invitations}
        rowKey={({ id }) => id}
        empty={null}
        columns={[
          { key: 'email', header: t('email'), cell: ({ email }) => email },
          { key: 'role', header: t('role.label'), cell: ({ role }) => t(`role.${role}`) },
          {
            key: 'expires',
            header: t('invitations.expires'),
            cell: ({ expiresAt }) => <RelativeTime at={expiresAt} />,
          },
          {
            key: 'withdraw',
            header: t('actions'),
            isActions: true,
            cell: ({ id, email }) => (
              <Button
                size="compact-sm"
                variant="subtle"
                color="red"
                aria-label={t('invitations.withdrawOf', { email })}
                loading={withdraw.isPending && withdraw.variables === id}
                onClick={() => withdraw.mutate(id)}
              >
                {t('invitations.withdraw')}
              </Button>
            ),
          },
        ]}
      />
    </Section>
  );
}
