import { Badge } from '@mantine/core';
import { IconChecklist } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { LinkAnchor } from '../shared/buttons.tsx';
import { DataTable, Paging, useCursorPaging } from '../shared/data-table.tsx';
import { EmptyState, ErrorAlert, PageHeader } from '../shared/page.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import { useFormat } from '../shared/use-format.ts';
import { approvalsQuery, isStatus } from './queries.ts';

/** What waits for the operator, of all tenants. */
export function ApprovalsPage() {
  const { t } = useTranslation('apis');
  const { count } = useFormat();
  const paging = useCursorPaging();
  const approvals = useQuery(approvalsQuery(paging.cursor));
  const header = (
    <PageHeader title={t('approvals.title')} description={t('approvals.description')} />
  );
  if (isStatus(approvals.error, 403)) {
    return (
      <>
        {header}
        <EmptyState icon={IconChecklist} title={t('approvals.operatorOnly')} />
      </>
    );
  }
  if (approvals.error) {
    return (
      <>
        {header}
        <ErrorAlert error={approvals.error} onRetry={approvals.refetch} />
      </>
    );
  }
  return (
    <>
      {header}
      <DataTable
        label={t('approvals.label')}
        rows={approvals.data?.waiting}
        rowKey={({ id }) => id}
        empty={
          <EmptyState
            icon={IconChecklist}
            title={t('approvals.none.title')}
            text={t('approvals.none.text')}
          />
        }
        columns={[
          {
            header: t('column.name'),
            cell: ({ id, name }) => (
              <LinkAnchor
                to="/admin/settings/approvals/$api"
                params={{ api: id }}
                size="sm"
                fw={550}
              >
                {name}
              </LinkAnchor>
            ),
          },
          { header: t('column.tenant'), cell: ({ tenant }) => tenant },
          {
            header: t('column.kind'),
            cell: ({ kind }) => (
              <Badge variant="light" tt="none" color={kind === 'new' ? 'celadon' : 'yellow'}>
                {t(`approvals.${kind}`)}
              </Badge>
            ),
          },
          { header: t('column.tools'), align: 'end', cell: ({ tools }) => count(tools.length) },
          { header: t('column.base'), cell: ({ baseUrl }) => baseUrl },
          {
            header: t('column.waits'),
            align: 'end',
            cell: ({ updatedAt }) => <RelativeTime at={updatedAt} />,
          },
        ]}
      />
      <Paging paging={paging} nextCursor={approvals.data?.nextCursor} />
    </>
  );
}
