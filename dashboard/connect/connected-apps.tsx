import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type AdminAnswer, ask, callAdmin } from '../api/call-admin.ts';
import { ConfirmDialog } from '../shared/confirm-dialog.tsx';
import { DataTable } from '../shared/data-table.tsx';
import { ErrorAlert } from '../shared/page.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import { Section } from '../shared/section.tsx';

type App = AdminAnswer<'GET /me/apps'>['apps'][number];

const KEY = ['me', 'apps'] as const;

/** The programs that use tools in the name of the person, each with a button that ends it. */
export function ConnectedApps() {
  const { t } = useTranslation('connect');
  const queries = useQueryClient();
  const [leaving, setLeaving] = useState<App | null>(null);
  const { data, error, refetch } = useQuery({ queryKey: KEY, queryFn: ask('GET /me/apps', {}) });
  return (
    <Section title={t('apps.title')} description={t('apps.description')}>
      {error && <ErrorAlert error={error} onRetry={refetch} />}
      {!error && (
        <DataTable
          label={t('apps.title')}
          rows={data?.apps}
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
                <Button size="compact-sm" variant="subtle" onClick={() => setLeaving(app)}>
                  {t('apps.disconnect')}
                </Button>
              ),
            },
          ]}
        />
      )}
      <ConfirmDialog
        isOpen={leaving !== null}
        onClose={() => setLeaving(null)}
        title={t('apps.disconnectTitle', { name: leaving?.name ?? '' })}
        action={t('apps.disconnect')}
        isDangerous
        onConfirm={() =>
          callAdmin('DELETE /me/apps/:id', { id: leaving?.id ?? '' }).then(() =>
            queries.invalidateQueries({ queryKey: KEY }),
          )
        }
      >
        {t('apps.disconnectText')}
      </ConfirmDialog>
    </Section>
  );
}
