import { Box, Group, Paper, Progress, Stack, Text, TextInput, Title } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ask } from '../api/call-admin.ts';
import { icon } from '../shared/buttons.tsx';
import { Hint } from '../shared/page.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import { useFormat } from '../shared/use-format.ts';
import { byState, DatasetBadge, DatasetLink, saidIn } from './key-state.tsx';
import type { KeyDataset, ProviderKey } from './provider-keys-query.ts';

/** Beyond this number of datasets, they can be filtered. */
const FILTER_FROM = 8;

/** The datasets of a key with their tools and what was learned of each, what is wrong first. */
export function KeyDatasets({
  providerKey,
}: {
  readonly providerKey: Pick<ProviderKey, 'datasets'>;
}) {
  const { t } = useTranslation('providerKeys');
  const [filter, setFilter] = useState('');
  const { datasets } = providerKey;
  if (datasets.length === 0) return null;
  const shown = datasets.filter((each) => matches(each, filter.trim().toLowerCase()));
  return (
    <section>
      <Group justify="space-between" gap="sm" mb="xs">
        <Title order={3}>{t('datasetList.title')}</Title>
        {datasets.length >= FILTER_FROM && (
          <TextInput
            type="search"
            aria-label={t('datasetList.filter')}
            placeholder={t('datasetList.filter')}
            leftSection={icon(IconSearch)}
            value={filter}
            onChange={(event) => setFilter(event.currentTarget.value)}
          />
        )}
      </Group>
      {shown.length === 0 && <Hint>{t('datasetList.noMatch')}</Hint>}
      {shown.length > 0 && (
        <Paper
          component="ul"
          withBorder
          m={0}
          p={0}
          mah="26rem"
          style={{ listStyle: 'none', overflowY: 'auto' }}
          // The keyboard must be able to scroll it.
          tabIndex={0}
          aria-label={t('datasetList.title')}
        >
          {shown.toSorted(byState).map((dataset) => (
            <DatasetRow key={dataset.id} dataset={dataset} />
          ))}
        </Paper>
      )}
    </section>
  );
}

const matches = ({ id, title, tools }: KeyDataset, words: string): boolean =>
  [id, title, ...tools].some((text) => text.toLowerCase().includes(words));

function DatasetRow({ dataset }: { readonly dataset: KeyDataset }) {
  const { id, title, tools, state, since, evidence } = dataset;
  return (
    <Box component="li" px="sm" py="xs">
      <Group justify="space-between" gap="0.15rem 1rem">
        <Text size="sm" fw={500} flex="1 1 14rem">
          {title}
        </Text>
        {state !== 'works' && <DatasetLink {...dataset} />}
        <DatasetBadge state={state} />
      </Group>
      <Text size="xs" c="dimmed" component="div">
        {id}
        {since !== null && (
          <>
            {' · '}
            <RelativeTime at={since} />
          </>
        )}
        {evidence && (
          <>
            {' · '}
            <q>{saidIn(evidence)}</q>
          </>
        )}
      </Text>
      <Text size="xs" c="dimmed" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
        {tools.join(', ')}
      </Text>
      {dataset.quota && <QuotaUse quota={dataset.quota} title={title} />}
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
