import { Alert } from '@mantine/core';
import { IconHourglass, IconListSearch } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { DataTable, Paging, useCursorPaging } from '../shared/data-table.tsx';
import { EmptyState, ErrorAlert } from '../shared/page.tsx';
import { ExactTime } from '../shared/relative-time.tsx';
import { useFormat } from '../shared/use-format.ts';
import {
  type AuditPageData,
  type AuditRecordData,
  type NamesData,
  useRecords,
} from './audit-queries.ts';
import type { AuditFilterInput } from './audit-search.ts';
import { endingOf, useCallColumns } from './call-columns.tsx';

interface AuditTableProps {
  readonly tenant: string;
  readonly filter: AuditFilterInput;
  readonly names: NamesData | undefined;
  readonly isFiltered: boolean;
  readonly opened: string | undefined;
  readonly onOpen: (auditId: string) => void;
}

/** The records that match, newest first, in pages. */
export function AuditTable(props: AuditTableProps) {
  const { tenant, filter, opened, onOpen, isFiltered } = props;
  const { t } = useTranslation('audit');
  const paging = useCursorPaging(JSON.stringify([tenant, filter]));
  const { data, error, refetch } = useRecords(tenant, filter, paging.cursor);
  const columns = useCallColumns<AuditRecordData>(props.names, {
    timeOf: ({ timestamp }) => <ExactTime at={timestamp} />,
    endingOf,
  });
  if (error) return <ErrorAlert error={error} onRetry={refetch} />;
  return (
    <div>
      {data && <Notices page={data} />}
      <DataTable<AuditRecordData>
        label={t('title')}
        columns={columns}
        rows={data?.records}
        rowKey={({ auditId }) => auditId}
        isSelected={({ auditId }) => auditId === opened}
        onOpen={({ auditId }) => onOpen(auditId)}
        empty={
          <EmptyState
            icon={IconListSearch}
            title={t(isFiltered ? 'empty.filtered' : 'empty.title')}
            text={t(data?.nextCursor ? 'empty.further' : 'empty.text')}
          />
        }
      />
      <Paging paging={paging} nextCursor={data?.nextCursor} />
    </div>
  );
}

/** What the page does not show: records that wait for PostgreSQL. */
function Notices({ page: { incomplete } }: { readonly page: AuditPageData }) {
  const { t } = useTranslation('audit');
  const { count, time } = useFormat();
  if (!incomplete) return null;
  return (
    <Alert color="yellow" icon={<IconHourglass aria-hidden />} mb="sm">
      {t('incomplete', {
        count: incomplete.waiting,
        formatted: incomplete.waiting === 1000 ? '1000+' : count(incomplete.waiting),
        time: time(incomplete.oldestWaitingAt),
      })}
    </Alert>
  );
}
