import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
// biome-ignore lint/suspicious/noDeprecatedImports: only its older signatures are deprecated.
import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton, OnCopied } from './buttons.tsx';
import { useHold } from './unsaved.tsx';

export interface SecretOnceProps {
  /** Kept in memory only, and only as long as this is shown. */
  readonly secret: string;
  /** What it is, such as "API key". */
  readonly label: string;
  readonly kind: 'key' | 'link' | 'password';
  /** What to do with it. */
  readonly children?: ReactNode;
  /** Called when the person says that the secret is saved. */
  readonly onSaved: () => void;
}

/** A secret that the gateway can never show again: it stays until it was copied, or the person says that it is saved. */
export function SecretOnce({ secret, label, kind, children, onSaved }: SecretOnceProps) {
  const { t } = useTranslation('shared');
  const [isCopied, setCopied] = useState(false);
  const [isRefused, setRefused] = useState(false);
  const saved = useRef<HTMLButtonElement>(null);
  const refuse = (): void => {
    setRefused(true);
    saved.current?.focus();
  };
  useHold(!isCopied, refuse);
  useBlocker({
    disabled: isCopied,
    shouldBlockFn: () => {
      refuse();
      return true;
    },
  });
  const noteCopy = (text: string): void => {
    if (text.includes(secret)) setCopied(true);
  };
  return (
    <OnCopied value={noteCopy}>
      <Stack gap="sm" onCopy={() => noteCopy(String(document.getSelection()))}>
        <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} role="status">
          {t('secret.warning')}
        </Alert>
        <div>
          <Text size="sm" fw={500} mb={4}>
            {label}
          </Text>
          <Group gap="xs" wrap="nowrap" align="stretch">
            <Code
              flex={1}
              px="sm"
              py="xs"
              fz="sm"
              style={{ userSelect: 'all' }}
              data-testid="secret"
            >
              {secret}
            </Code>
            <CopyButton value={secret} label={t(`copy.${kind}`)} withLabel />
          </Group>
        </div>
        {children}
        <Group justify="flex-end">
          {isRefused && !isCopied && (
            <Text size="sm" role="alert" flex={1}>
              {t('secret.refused')}
            </Text>
          )}
          <Button ref={saved} onClick={onSaved}>
            {t('secret.saved')}
          </Button>
        </Group>
      </Stack>
    </OnCopied>
  );
}
