import { Alert, List, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { RawText } from '../shared/raw-text.tsx';
import type { RpcError } from './run-tool.ts';

export interface CallErrorProps {
  readonly error: RpcError;
  /** The JSON-RPC response. */
  readonly text: string;
}

/** A call that failed, with what is wrong with each argument. */
export function CallError({ error, text }: CallErrorProps) {
  const { t } = useTranslation('playground');
  return (
    <>
      <Alert
        color="red"
        role="alert"
        icon={<IconAlertTriangle aria-hidden />}
        title={t('result.failed')}
      >
        <Text size="sm">{error.message}</Text>
        {error.data?.errors && (
          <List size="sm" mt="xs">
            {error.data.errors.map(({ path, message }) => (
              <List.Item key={path}>
                <code>{path || '/'}</code> {message}
              </List.Item>
            ))}
          </List>
        )}
      </Alert>
      <RawText text={text} label={t('result.raw')} />
    </>
  );
}
