import { Alert, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../shared/use-format.ts';
import { DatasetLink, isRefusal } from './key-state.tsx';
import type { KeyTest, ProviderKey } from './provider-keys-query.ts';

type Verdict = KeyTest['verdict'];

const TONES: Readonly<Record<Verdict, 'good' | 'bad' | 'unsure'>> = {
  works: 'good',
  key_invalid: 'bad',
  key_blocked: 'bad',
  key_expired: 'bad',
  address_refused: 'bad',
  not_applied: 'unsure',
  quota_used_up: 'unsure',
  withdrawn: 'unsure',
  too_fast: 'unsure',
  upstream_unavailable: 'unsure',
  unclear: 'unsure',
};

const LOOKS = {
  good: { color: 'celadon', Icon: IconCircleCheck },
  bad: { color: 'red', Icon: IconCircleX },
  unsure: { color: 'yellow', Icon: IconAlertTriangle },
} as const;

export interface KeyTestResultProps {
  readonly test: KeyTest;
  readonly providerKey: ProviderKey;
  /** The tested value is not stored yet. */
  readonly isUnsaved: boolean;
}

/** What a test came to, in plain words, and what to do next. */
export function KeyTestResult({ test, providerKey, isUnsaved }: KeyTestResultProps) {
  const { t } = useTranslation('providerKeys');
  const { verdict, tool } = test;
  const { color, Icon } = LOOKS[TONES[verdict]];
  const dataset = providerKey.datasets.find(({ tools }) => tools.includes(tool));
  const mayLackDataset = verdict === 'not_applied' || isUnknown(test);
  // Then the advice on the key, above, is the one on this test.
  const isAdvised =
    !isUnsaved && isRefusal(providerKey.state) && dataset?.state === providerKey.state;
  return (
    <Alert color={color} icon={<Icon aria-hidden />} title={t(`test.verdict.${verdict}`)}>
      <Stack gap={6}>
        {!isAdvised && (
          <>
            <Text size="sm">{t(`test.next.${nextStep(test, isUnsaved)}`)}</Text>
            {mayLackDataset && dataset && <DatasetLink {...dataset} />}
          </>
        )}
        <Facts test={test} />
      </Stack>
    </Alert>
  );
}

/** The portal sends this code for a key that it does not know, and for a dataset that was not applied for. */
const isUnknown = ({ code }: KeyTest): boolean => code === '30' || code === '030';

function nextStep(test: KeyTest, isUnsaved: boolean) {
  if (test.verdict === 'works' && isUnsaved) return 'worksUnsaved';
  return test.verdict === 'key_invalid' && isUnknown(test) ? 'key_unknown' : test.verdict;
}

function Facts({ test }: { readonly test: KeyTest }) {
  const { t } = useTranslation('providerKeys');
  const format = useFormat();
  const { tool, status, code, durationMs, auditId } = test;
  const facts = [
    t('test.called', { tool }),
    ...(status === null ? [] : [t('test.status', { status })]),
    ...(code === null ? [] : [t('test.code', { code })]),
    format.duration(durationMs),
  ];
  return (
    <Text size="xs" c="dimmed">
      {facts.join(' · ')}
      <br />
      <Text span ff="monospace" size="xs">
        {auditId}
      </Text>
    </Text>
  );
}
