import { Alert, Anchor, Badge, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconExternalLink } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { isForHolder, KEY_STATES } from '../../src/calls/provider-keys/key-state.ts';
import { RelativeTime } from '../shared/relative-time.tsx';
import {
  type KeyDataset,
  type ProviderKey,
  safeUrl,
  type TenantKey,
} from './provider-keys-query.ts';

type State = ProviderKey['state'];

const COLORS: Readonly<Record<State, string>> = {
  missing: 'gray',
  unreadable: 'red',
  wrong_key: 'red',
  blocked: 'red',
  expired: 'red',
  not_applied: 'yellow',
  exhausted: 'yellow',
  withdrawn: 'gray',
  propagating: 'blue',
  works: 'celadon',
  unknown: 'gray',
};

/** What is wrong comes first. */
export const byState = (a: KeyDataset, b: KeyDataset): number =>
  KEY_STATES.indexOf(a.state) - KEY_STATES.indexOf(b.state);

type Conditioned = ProviderKey | TenantKey;

/** The state in words, with how many datasets it concerns if not all. */
function useStateText(): (key: Pick<Conditioned, 'state' | 'affected' | 'datasets'>) => string {
  const { t } = useTranslation('providerKeys');
  return ({ state, affected, datasets: { length: all } }) =>
    affected === all || state === 'unreadable' || !isRefusal(state)
      ? t(`state.${state}`)
      : t(`partial.${state}`, { count: affected, all });
}

interface StateBadgeProps {
  readonly state: State;
  readonly text: string;
}

const StateBadge = ({ state, text }: StateBadgeProps) => (
  <Badge component="span" variant="light" color={COLORS[state]} tt="none" maw="100%">
    {text}
  </Badge>
);

/** The one state of a key: the state of its worst dataset. */
export function KeyBadge({ providerKey }: { readonly providerKey: Conditioned }) {
  const textOf = useStateText();
  return <StateBadge state={providerKey.state} text={textOf(providerKey)} />;
}

/** The state of one of its datasets. */
export function DatasetBadge({ state }: Pick<KeyDataset, 'state'>) {
  const { t } = useTranslation('providerKeys');
  return <StateBadge state={state} text={t(`state.${state}`)} />;
}

type Refusal = Exclude<State, 'missing' | 'works' | 'unknown'>;

/** Whether something is to be done or waited for. Where a key is missing, the form says so. */
export const isRefusal = (state: State): state is Refusal =>
  state !== 'missing' && state !== 'works' && state !== 'unknown';

/** What is wrong with a key since when, the one thing to do about it, and what the provider said. */
export function KeyAdvice({ providerKey }: { readonly providerKey: Conditioned }) {
  const { t } = useTranslation('providerKeys');
  const textOf = useStateText();
  const { state, since, evidence, policy } = providerKey;
  if (!isRefusal(state)) return null;
  const isBorrowed =
    'owner' in providerKey && providerKey.owner === 'operator' && policy === 'shared';
  const asksHolder = isBorrowed && isForHolder(state);
  return (
    <Alert
      color={COLORS[state]}
      icon={<IconAlertTriangle aria-hidden />}
      title={textOf(providerKey)}
      role="group"
      aria-label={textOf(providerKey)}
    >
      <Stack gap={6}>
        <Text size="sm" maw="46rem">
          {t(`advice.${asksHolder ? 'borrowed' : state}`)}
        </Text>
        {!asksHolder && <ApplyLink providerKey={providerKey} />}
        {evidence && (
          <Text size="xs" component="div">
            {t('evidence')} <q>{saidIn(evidence)}</q>
            {since !== null && (
              <>
                {' · '}
                <RelativeTime at={since} />
              </>
            )}
          </Text>
        )}
      </Stack>
    </Alert>
  );
}

/** The provider's own words, with its code. */
export const saidIn = ({ code, text }: NonNullable<KeyDataset['evidence']>): string =>
  [code, text].filter(Boolean).join(': ');

/** Leads to the page where the approval is applied for or extended, if one page does for all. */
function ApplyLink({ providerKey: { state, datasets } }: { readonly providerKey: Conditioned }) {
  if (state !== 'not_applied' && state !== 'expired') return null;
  const affected = datasets.filter((each) => each.state === state);
  const [only] = affected;
  return affected.length === 1 && only ? <DatasetLink {...only} /> : null;
}

/** The page of a provider where a key for a dataset is applied for. */
export function DatasetLink({ applyUrl, title }: Pick<KeyDataset, 'applyUrl' | 'title'>) {
  const { t } = useTranslation('providerKeys');
  const url = safeUrl(applyUrl);
  if (!url) return null;
  return (
    <Anchor
      href={url}
      target="_blank"
      rel="noreferrer"
      size="sm"
      aria-label={t('datasetList.applyFor', { name: title })}
    >
      {t('datasetList.apply')}
      <IconExternalLink size={14} aria-hidden />
    </Anchor>
  );
}
