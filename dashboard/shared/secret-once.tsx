import { Alert, Code, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from './buttons.tsx';
import classes from './secret-once.module.css';

export interface SecretOnceProps {
  /** Kept in memory only, and only as long as this is shown. */
  readonly secret: string;
  /** What it is, such as "API key". */
  readonly label: string;
  /** What to do with it. */
  readonly children?: ReactNode;
}

/** A secret that the gateway can never show again. */
export function SecretOnce({ secret, label, children }: SecretOnceProps) {
  const { t } = useTranslation('shared');
  return (
    <Stack gap="sm">
      <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} role="status">
        {t('secret.warning')}
      </Alert>
      <div>
        <Text size="sm" fw={500} mb={4}>
          {label}
        </Text>
        <Group gap="xs" wrap="nowrap" align="stretch">
          <Code className={classes.secret} data-testid="secret">
            {secret}
          </Code>
          <CopyButton value={secret} label={t('copy.of', { label })} withLabel />
        </Group>
      </div>
      {children}
    </Stack>
  );
}
