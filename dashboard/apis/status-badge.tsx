import { Badge } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Job } from './queries.ts';

export type ApiStatus = Job['status'] | 'pending';

const COLOURS: Readonly<Record<ApiStatus, string>> = {
  queued: 'gray',
  fetching: 'blue',
  validating: 'blue',
  converting: 'blue',
  registered: 'celadon',
  checked: 'celadon',
  awaiting_approval: 'yellow',
  confirmation_required: 'yellow',
  pending: 'yellow',
  failed: 'red',
};

/** The state of a job or of a registered API, in words. */
export function StatusBadge({ status }: { readonly status: ApiStatus }) {
  const { t } = useTranslation('apis');
  return (
    <Badge variant="light" color={COLOURS[status]} tt="none" autoContrast={false}>
      {t(`status.${status}`)}
    </Badge>
  );
}
