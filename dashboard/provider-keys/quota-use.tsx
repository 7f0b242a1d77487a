import { Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { ask } from '../api/call-admin.ts';
import { RelativeTime } from '../shared/relative-time.tsx';
import { useFormat } from '../shared/use-format.ts';
import type { KeyDataset } from './provider-keys-query.ts';

type Quota = NonNullable<KeyDataset['quota']>;

interface Shown {
  readonly quota: Quota;
  readonly title: string;
}

/** What is left of a quota today, until when, and who has used it. */
export function QuotaUse({ quota, title }: Shown) {
  const { t } = useTranslation('providerKeys');
  const format = useFormat();
  const { limit, used, remaining, resetsAt, share = null, ownUsed = 0 } = quota;
  const count = format.count;
  return (
    <Stack gap={2} mt={4}>
      {limit !== null && <QuotaBar quota={quota} title={title} />}
      <Text size="xs" component="div">
        {limit === null
          ? t('quotaUse.used', { used: count(used) })
          : t('quotaUse.left', { left: count(remaining ?? 0), limit: count(limit) })}
        {' · '}
        {t('quotaUse.resets')} <RelativeTime at={resetsAt} />
      </Text>
      {share !== null && (
        <Text size="xs" c="dimmed">
          {t('quotaUse.share', { share: count(share), used: count(ownUsed) })}
        </Text>
      )}
      {quota.tenants && quota.tenants.length > 0 && <Tenants tenants={quota.tenants} />}
    </Stack>
  );
}

/** From here on, known questions are answered without a request. */
const LOW = 0.1;

function QuotaBar({ quota, title }: Shown) {
  const { t } = useTranslation('providerKeys');
  const { limit, used, remaining } = quota;
  const isLow = (remaining ?? 0) <= LOW * (limit ?? 0);
  return (
    <Progress.Root size="sm">
      <Progress.Section
        value={(100 * used) / (limit || 1)}
        color={isLow ? 'red' : 'celadon'}
        aria-label={t('quotaUse.bar', { name: title })}
      />
    </Progress.Root>
  );
}

/** Tenants that are named. */
const MAX_NAMED = 3;

function Tenants({ tenants }: { readonly tenants: NonNullable<Quota['tenants']> }) {
  const { t } = useTranslation('providerKeys');
  const format = useFormat();
  const { data } = useQuery({ queryKey: ['tenants'], queryFn: ask('GET /tenants', {}) });
  const nameOf = (id: string): string =>
    data?.tenants.find((tenant) => tenant.id === id)?.slug ?? id;
  const named = tenants.slice(0, MAX_NAMED);
  return (
    <Text size="xs" c="dimmed">
      {t('quotaUse.tenants')}{' '}
      {named.map(({ tenantId, used }) => `${nameOf(tenantId)} ${format.count(used)}`).join(', ')}
      {tenants.length > MAX_NAMED && ` +${tenants.length - MAX_NAMED}`}
    </Text>
  );
}
