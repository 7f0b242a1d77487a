import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

export interface CopyButtonProps {
  readonly value: string;
  /** What is copied, for the name of the button: "Copy" by default. */
  readonly label?: string;
  /** Shows the label; by default, only the icon. */
  readonly withLabel?: boolean;
}

export function CopyButton({ value, label, withLabel = false }: CopyButtonProps) {
  const { t } = useTranslation('shared');
  const { copied, copy } = useClipboard({ timeout: 1500 });
  const Icon = copied ? IconCheck : IconCopy;
  const text = copied ? t('copy.done') : (label ?? t('copy.label'));
  const onClick = () => copy(value);
  if (withLabel) {
    return (
      <Button
        size="xs"
        variant="default"
        onClick={onClick}
        leftSection={<Icon size={16} aria-hidden />}
      >
        {text}
      </Button>
    );
  }
  return (
    <Tooltip label={text}>
      <ActionIcon variant="subtle" color="gray" onClick={onClick} aria-label={text}>
        <Icon size={16} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}
