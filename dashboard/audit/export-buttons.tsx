import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { adminUrl } from '../api/call-admin.ts';
import type { AuditFilterInput } from './audit-search.ts';

interface ExportButtonsProps {
  readonly tenant: string;
  readonly filter: AuditFilterInput;
}

/** Downloads of every record that matches, however many there are. */
export function ExportButtons({ tenant, filter }: ExportButtonsProps) {
  const { t } = useTranslation('audit');
  return (['csv', 'ndjson'] as const).map((format) => (
    <Button
      key={format}
      component="a"
      size="xs"
      variant="default"
      download
      href={adminUrl('GET /tenants/:tenant/audit/export', { tenant, ...filter, format })}
      leftSection={<IconDownload size={16} aria-hidden />}
    >
      {t(`export.${format}`)}
    </Button>
  ));
}
