import { Alert, Badge, Code, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Json } from '../shared/json.tsx';
import { RawText } from '../shared/raw-text.tsx';
import { useFormat } from '../shared/use-format.ts';
import type { Trial } from './queries.ts';

/** What a call of a tool came to. */
export function TrialResult({ trial }: { readonly trial: Trial }) {
  const { t } = useTranslation('apis');
  const { duration } = useFormat();
  const { response, error, auditId, durationMs } = trial;
  return (
    <Stack gap="xs" role="status" aria-label={t('trial.result')}>
      {error && (
        <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={t('trial.failed')}>
          {error.message}
        </Alert>
      )}
      {response && (
        <>
          <Group gap="xs">
            <Badge color={response.isError ? 'red' : 'celadon'} variant="light" tt="none">
              {t('trial.status', { status: response.status })}
            </Badge>
            <Text size="sm" c="dimmed">
              {t('trial.took', { duration: duration(durationMs) })}
            </Text>
          </Group>
          <Code w="fit-content" maw="100%">
            {response.method.toUpperCase()} {response.url}
          </Code>
          <ResponseData response={response} />
        </>
      )}
      <Text size="xs" c="dimmed">
        {t('trial.record')}: {auditId}
      </Text>
    </Stack>
  );
}

function ResponseData({ response }: { readonly response: NonNullable<Trial['response']> }) {
  const { t } = useTranslation('apis');
  const { bytes } = useFormat();
  if (response.beginning === null) return <Json value={response.data} label={t('trial.result')} />;
  return (
    <>
      <Text size="sm">{t('trial.cut', { size: bytes(response.bytes) })}</Text>
      <RawText text={response.beginning} label={t('trial.result')} />
    </>
  );
}
