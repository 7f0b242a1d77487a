import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { ask, callAdmin } from '../api/call-admin.ts';
import { DataTable } from '../shared/data-table.tsx';
import { Panel } from '../shared/page.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import { AskingRowAction } from '../shared/row-action.tsx';

const KEY = ['me', 'apps'] as const;

/** The programs that use tools in the name of the person, each with a button that ends it. */
export function ConnectedApps() {
  const { t } = useTranslation('connect');
  const queries = useQueryClient();
  const apps = useQuery({ queryKey: KEY, queryFn: ask('GET /me/apps', {}) });
  const disconnect = async (id: string): Promise<void> => {
    await callAdmin('DELETE /me/apps/:id', { id });
    await queries.invalidateQueries({ queryKey: KEY });
  };
  return (
    <Panel title={t('apps.title')} description={t('apps.description')}>
      <DataTable
        query={apps}
        label={t('apps.title')}
        rows={apps.data?.apps}
        rowKey={({ id }) => id}
        empty={t('apps.empty')}
        columns={[
          { header: t('apps.app'), cell: (app) => app.name, sort: ({ name }) => name },
          { header: t('tenant'), cell: (app) => app.tenant, sort: ({ tenant }) => tenant },
          {
            header: t('tools.label'),
            cell: ({ allowedTools }) => allowedTools?.join(', ') ?? t('tools.all'),
          },
          {
            header: t('apps.connected'),
            cell: (app) => <RelativeTime at={app.createdAt} />,
            sort: ({ createdAt }) => createdAt,
          },
          {
            header: t('apps.lastUsed'),
            cell: ({ lastUsedAt }) =>
              lastUsedAt === null ? t('apps.never') : <RelativeTime at={lastUsedAt} />,
            sort: ({ lastUsedAt }) => lastUsedAt,
          },
          {
            header: t('apps.ends'),
            cell: ({ expiresAt }) =>
              expiresAt === null ? t('apps.never') : <RelativeTime at={expiresAt} />,
            sort: ({ expiresAt }) => expiresAt,
          },
          {
            header: t('apps.actions'),
            isActions: true,
            cell: (app) => (
              <AskingRowAction
                label={t('apps.disconnect')}
                name={t('apps.disconnectOf', app)}
                title={t('apps.disconnectTitle', app)}
                onConfirm={() => disconnect(app.id)}
              >
                {t('apps.disconnectText', app)}
              </AskingRowAction>
            ),
          },
        ]}
      />
    </Panel>
  );
}
