import { Badge, Box, Group, Progress, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { ask } from '../api/call-admin.ts';
import { RelativeTime } from '../shared/relative-time.tsx';
import { useFormat } from '../shared/use-format.ts';
import { DatasetLink, ScrolledList } from './key-source.tsx';
import { type KeyDataset, type ProviderKey, safeUrl } from './provider-keys-query.ts';

const COLORS: Readonly<Record<KeyDataset['state'], string>> = {
  works: 'celadon',
  not_applied: 'yellow',
  propagating: 'blue',
  wrong_key: 'red',
  expired: 'red',
  blocked: 'red',
  withdrawn: 'gray',
  exhausted: 'yellow',
  unknown: 'gray',
};

/** What was learned of the key for each of its datasets, what is wrong first. */
export function KeyDatasets({
  providerKey,
}: {
  readonly providerKey: Pick<ProviderKey, 'datasets'>;
}) {
  const { t } = useTranslation('providerKeys');
  const { datasets } = providerKey;
  if (datasets.length === 0) return null;
  return (
    <section>
      <Title order={3} mb="xs">
        {t('readiness.title')}
      </Title>
      <ScrolledList label={t('readiness.title')}>
        {datasets.toSorted(byUrgency).map((dataset) => (
          <DatasetRow key={dataset.id} dataset={dataset} />
        ))}
      </ScrolledList>
    </section>
  );
}

const URGENT: readonly KeyDataset['state'][] = [
  'wrong_key',
  'blocked',
  'expired',
  'not_applied',
  'exhausted',
  'withdrawn',
  'propagating',
  'works',
  'unknown',
];

const byUrgency = (a: KeyDataset, b: KeyDataset): number =>
  URGENT.indexOf(a.state) - URGENT.indexOf(b.state);

function DatasetRow({ dataset }: { readonly dataset: KeyDataset }) {
  const { t } = useTranslation('providerKeys');
  const { title, state, since, evidence, applyUrl } = dataset;
  const url = safeUrl(applyUrl);
  return (
    <Box component="li" px="sm" py="xs">
      <Group justify="space-between" gap="sm" wrap="nowrap">
        <Text size="sm" fw={500}>
          {title}
        </Text>
        <Badge component="span" variant="light" color={COLORS[state]} tt="none">
          {t(`readiness.state.${state}`)}
        </Badge>
      </Group>
      <Text size="xs" c="dimmed" component="div">
        {dataset.id}
        {since !== null && (
          <>
            {' · '}
            <RelativeTime at={since} />
          </>
        )}
        {evidence && ` · ${[evidence.code, evidence.text].filter(Boolean).join(': ')}`}
      </Text>
      {dataset.quota && <QuotaUse quota={dataset.quota} title={title} />}
      {url && state !== 'works' && <DatasetLink url={url} name={title} />}
    </Box>
  );
}

type Quota = NonNullable<KeyDataset['quota']>;

interface QuotaProps {
  readonly quota: Quota;
  readonly title: string;
}

/** What is left of a quota today, until when, and who has used it. */
function QuotaUse({ quota, title }: QuotaProps) {
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

function QuotaBar({ quota, title }: QuotaProps) {
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
