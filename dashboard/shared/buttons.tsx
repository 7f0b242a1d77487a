import {
  ActionIcon,
  Anchor,
  type AnchorProps,
  Button,
  type ButtonProps,
  Tooltip,
} from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy, IconDownload, type IconProps } from '@tabler/icons-react';
import { createLink } from '@tanstack/react-router';
import {
  type AnchorHTMLAttributes,
  type ComponentType,
  createContext,
  type Ref,
  useContext,
  useLayoutEffect,
} from 'react';
import { useTranslation } from 'react-i18next';

/** What a link takes besides what it looks like. */
type LinkProps<Look> = Look &
  Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof Look> & {
    readonly ref?: Ref<HTMLAnchorElement>;
  };

/** A link to a page, within text. */
export const LinkAnchor = createLink((props: LinkProps<AnchorProps>) => <Anchor {...props} />);

/** A link to a page that looks like a button. */
export const LinkButton = createLink((props: LinkProps<ButtonProps>) => (
  <Button component="a" {...props} />
));

interface CopyButtonProps {
  readonly value: string;
  /** What is copied, for the name of the button: "Copy" by default. */
  readonly label?: string;
  /** Shows the label; by default, only the icon. */
  readonly withLabel?: boolean;
}

/** Called with each text that a button within it has copied. */
export const OnCopied = createContext<(text: string) => void>(() => {});

export function CopyButton({ value, label, withLabel = false }: CopyButtonProps) {
  const { t } = useTranslation('shared');
  const { copied, copy } = useClipboard({ timeout: 1500 });
  const onCopied = useContext(OnCopied);
  // Before it is painted: what waits for the copy must not lag behind what the button says.
  // biome-ignore lint/correctness/useExhaustiveDependencies: told once for each time that the browser has copied it.
  useLayoutEffect(() => {
    if (copied) onCopied(value);
  }, [copied]);
  const Icon = copied ? IconCheck : IconCopy;
  const text = copied ? t('copy.done') : (label ?? t('copy.label'));
  const onClick = () => copy(value);
  if (withLabel) {
    return (
      <Button size="xs" variant="default" onClick={onClick} leftSection={icon(Icon)}>
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

/** The icon beside the text of a button, which says the same. */
export const icon = (Icon: ComponentType<IconProps>) => <Icon size={16} aria-hidden />;

const FORMATS = ['csv', 'ndjson'] as const;

interface ExportButtonsProps {
  readonly addressOf: (format: (typeof FORMATS)[number]) => string;
}

/** Downloads of a whole list. */
export function ExportButtons({ addressOf }: ExportButtonsProps) {
  const { t } = useTranslation('shared');
  return FORMATS.map((format) => (
    <Button
      key={format}
      component="a"
      href={addressOf(format)}
      download
      size="xs"
      variant="default"
      leftSection={icon(IconDownload)}
    >
      {t('export', { format: format.toUpperCase() })}
    </Button>
  ));
}
