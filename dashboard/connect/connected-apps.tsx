import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { ask, callAdmin } from '../api/call-admin.ts';
import { DataTable } from '../shared/data-table.tsx';
import { ErrorAlert, Panel } from '../shared/page.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';

const KEY = ['me', 'apps'] as const;

/** The programs that use tools in the name of the person, each with a button that ends it. */
export function ConnectedApps() {
  const { t } = useTranslation('connect');
  const queries = useQueryClient();
  const apps = useQuery({ queryKey: KEY, queryFn: ask('GET /me/apps', {}) });
  // To undo it, the person connects the app again: there is nothing to confirm.
  const disconnect = useMutation({
    mutationFn: (id: string) => callAdmin('DELETE /me/apps/:id', { id }),
    onSettled: () => queries.invalidateQueries({ queryKey: KEY }),
  });
  return (
    <Panel title={t('apps.title')} description={t('apps.description')}>
      {disconnect.error && <ErrorAlert error={disconnect.error} />}
      <DataTable
        query={apps}
        label={t('apps.title')}
        rows={apps.data?.apps}
        rowKey={({ id }) => id}
        empty={t('apps.empty')}
        columns={[
          { header: t('apps.app'), cell: (app) => app.name },
          { header: t('apps.tenant'), cell: (app) => app.tenant },
          {
            header: t('apps.tools'),
            cell: ({ allowedTools }) => allowedTools?.join(', ') ?? t('tools.all'),
          },
          {
            header: t('apps.connected'),
            cell: (app) => <RelativeTime at={app.createdAt} />,
          },
          {
            header: t('apps.lastUsed'),
            cell: ({ lastUsedAt }) =>
              lastUsedAt === null ? t('apps.never') : <RelativeTime at={lastUsedAt} />,
          },
          {
            header: t('apps.ends'),
            cell: ({ expiresAt }) =>
              expiresAt === null ? t('apps.never') : <RelativeTime at={expiresAt} />,
          },
          {
            header: t('apps.actions'),
            isActions: true,
            cell: (app) => (
              <Button
                size="compact-sm"
                variant="subtle"
                loading={disconnect.isPending && disconnect.variables === app.id}
                onClick={() => disconnect.mutate(app.id)}
              >
                {t('apps.disconnect')}
              </Button>
            ),
          },
        ]}
      />
    </Panel>
  );
}
