import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { quotaQuery } from '../overview/overview-queries.ts';
import { useFormat } from '../shared/use-format.ts';
import type { ProviderKey } from './provider-keys-query.ts';

export interface KeyQuotaProps {
  readonly name: ProviderKey['name'];
}

/** How many requests were sent with the key since midnight in Seoul, when most providers start to count again. */
export function KeyQuota({ name }: KeyQuotaProps) {
  const { t } = useTranslation('providerKeys');
  const { count, time } = useFormat();
  const { data } = useQuery(quotaQuery);
  const quota = data?.quotas.find(({ secret }) => secret === name);
  if (!quota) return null;
  return (
    <Text size="sm" c="dimmed">
      {t('quota', { requests: count(quota.requestsToday), time: time(quota.resetsAt) })}
    </Text>
  );
}
