import { Badge, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { homeQuery } from '../api/home-query.ts';

/** Whether the gateway serves made-up data. */
export const useSandbox = (): boolean => useQuery(homeQuery).data?.isSandbox ?? false;

/** Marks data that the sandbox has made up. */
export function SampleBadge() {
  const { t } = useTranslation('shared');
  if (!useSandbox()) return null;
  return (
    <Tooltip label={t('sample.hint')} w={240}>
      <Badge variant="default" tt="none">
        {t('sample.label')}
      </Badge>
    </Tooltip>
  );
}
