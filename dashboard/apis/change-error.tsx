import { Alert, Button, Group, Text } from '@mantine/core';
import { IconUsers } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { isStatus } from './queries.ts';

export interface ChangeErrorProps {
  readonly error: Error;
  readonly onReload: () => unknown;
}

/** Why a change was refused. Of two people who change the same thing, the second is offered what the first has stored. */
export function ChangeError({ error, onReload }: ChangeErrorProps) {
  const { t } = useTranslation('apis');
  if (!isStatus(error, 409)) return <ErrorAlert error={error} />;
  return (
    <Alert color="yellow" role="alert" icon={<IconUsers aria-hidden />}>
      <Group justify="space-between" gap="sm">
        <Text size="sm" flex={1} miw={200}>
          {error.message}
        </Text>
        <Button size="xs" variant="default" onClick={() => onReload()}>
          {t('api.reload')}
        </Button>
      </Group>
    </Alert>
  );
}
