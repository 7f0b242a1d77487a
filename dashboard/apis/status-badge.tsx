import { Badge } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Job } from './queries.ts';

const COLOURS: Readonly<Record<Job['status'], string>> = {
  queued: 'gray',
  fetching: 'blue',
  validating: 'blue',
  converting: 'blue',
  registered: 'celadon',
  checked: 'celadon',
  confirmation_required: 'yellow',
  failed: 'red',
};

/** The state of a job, in words. */
export function StatusBadge({ status }: Pick<Job, 'status'>) {
  const { t } = useTranslation('apis');
  return (
    <Badge variant="light" color={COLOURS[status]} tt="none" autoContrast={false}>
      {t(`status.${status}`)}
    </Badge>
  );
}
