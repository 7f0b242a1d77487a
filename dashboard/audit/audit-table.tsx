import { IconListSearch } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { DataTable, Paging, useCursorPaging } from '../shared/data-table.tsx';
import { EmptyState, ErrorAlert } from '../shared/page.tsx';
import { ExactTime } from '../shared/relative-time.tsx';
import { type AuditRecordData, type NamesData, useRecords } from './audit-queries.ts';
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
