import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { AdminError } from '../api/admin-error.ts';

export interface ErrorAlertProps {
  readonly error: Error;
  /** Offers to try again. */
  readonly onRetry?: (() => unknown) | undefined;
}

/** Says what went wrong, in the gateway's own words, with the request id that its log has. */
export function ErrorAlert({ error, onRetry }: ErrorAlertProps) {
  const { t } = useTranslation('shared');
  const requestId = error instanceof AdminError ? error.requestId : null;
  return (
    <Alert color="red" role="alert" icon={<IconAlertTriangle aria-hidden />}>
      <Group justify="space-between" gap="sm" wrap="wrap">
        <Stack gap={2} flex={1} miw={200}>
          <Text size="sm">{messageOf(error, t('error.unreachable'))}</Text>
          {requestId && (
            <Text size="xs" c="dimmed">
              {t('error.request', { requestId })}
            </Text>
          )}
        </Stack>
        {onRetry && (
          <Button size="xs" variant="default" onClick={() => onRetry()}>
            {t('error.retry')}
          </Button>
        )}
      </Group>
    </Alert>
  );
}

const messageOf = (error: Error, unreachable: string): string =>
  error instanceof AdminError && error.status === 0 ? unreachable : error.message;
