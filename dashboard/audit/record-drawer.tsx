import { Drawer, Skeleton, Stack } from '@mantine/core';
import { IconTrashX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { AdminError } from '../api/admin-error.ts';
import { EmptyState } from '../shared/empty-state.tsx';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { type NamesData, useRecord } from './audit-queries.ts';
import { RecordDetails } from './record-details.tsx';

interface RecordDrawerProps {
  readonly tenant: string;
  /** Undefined while it is closed. */
  readonly auditId: string | undefined;
  readonly names: NamesData | undefined;
  readonly onClose: () => void;
  readonly onOpen: (auditId: string) => void;
}

/** The details of one record, beside the list. It has an address of its own. */
export function RecordDrawer({ auditId, onClose, ...props }: RecordDrawerProps) {
  const { t } = useTranslation('audit');
  return (
    <Drawer
      opened={auditId !== undefined}
      onClose={onClose}
      position="right"
      size="xl"
      title={t('record.title')}
      closeButtonProps={{ 'aria-label': t('record.close') }}
    >
      {auditId !== undefined && <Content key={auditId} auditId={auditId} {...props} />}
    </Drawer>
  );
}

interface ContentProps extends Omit<RecordDrawerProps, 'onClose' | 'auditId'> {
  readonly auditId: string;
}

function Content({ tenant, auditId, names, onOpen }: ContentProps) {
  const { t } = useTranslation('audit');
  const { data, error, refetch } = useRecord(tenant, auditId);
  if (error instanceof AdminError && error.status === 404) {
    return (
      <EmptyState icon={IconTrashX} title={t('record.deleted')} text={t('record.deletedText')} />
    );
  }
  if (error) return <ErrorAlert error={error} onRetry={refetch} />;
  if (data) return <RecordDetails tenant={tenant} details={data} names={names} onOpen={onOpen} />;
  return (
    <Stack aria-busy="true">
      <Skeleton height={28} width="60%" />
      <Skeleton height={220} />
      <Skeleton height={120} />
    </Stack>
  );
}
