import { Badge, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { RelativeTime } from '../shared/relative-time.tsx';
import classes from './key-source.module.css';
import { DatasetLink } from './key-source.tsx';
import { type KeyDataset, type ProviderKey, safeUrl } from './provider-keys-query.ts';
import { QuotaUse } from './quota-use.tsx';

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
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it. */}
      <ul className={classes.servers} tabIndex={0} aria-label={t('readiness.title')}>
        {datasets.toSorted(byUrgency).map((dataset) => (
          <DatasetRow key={dataset.id} dataset={dataset} />
        ))}
      </ul>
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
    <li className={classes.server}>
      <div className={classes.head}>
        <Text size="sm" fw={500}>
          {title}
        </Text>
        <Badge component="span" variant="light" color={COLORS[state]} tt="none">
          {t(`readiness.state.${state}`)}
        </Badge>
      </div>
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
    </li>
  );
}
