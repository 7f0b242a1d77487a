import { Alert, Group, Paper } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { CopyButton } from './buttons.tsx';
import classes from './code-block.module.css';
import { useFormat } from './use-format.ts';

export interface CodeBlockProps {
  readonly code: string;
  /** What the code is, for screen readers and as its caption. */
  readonly label: string;
  /** Replaces the copied text, for code that is shown with a placeholder in place of a key. */
  readonly copied?: string;
}

/** Code with a button that copies it. It scrolls within itself and can be scrolled with the keyboard. */
export function CodeBlock({ code, label, copied }: CodeBlockProps) {
  const { t } = useTranslation('shared');
  return (
    <Paper component="figure" withBorder m={0} bg="var(--page-sunken)">
      <Group
        component="figcaption"
        justify="space-between"
        ps="sm"
        pe={6}
        py={2}
        c="dimmed"
        fz="xs"
      >
        {label}
        <CopyButton value={copied ?? code} label={t('copy.of', { label })} />
      </Group>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it. */}
      <pre className={classes.code} tabIndex={0}>
        <code>{code}</code>
      </pre>
    </Paper>
  );
}

/** Characters. A browser lays out more of them too slowly. */
const MAX_SHOWN = 200_000;

/** A text of any size: the beginning of a large one is shown, and all of it is copied. */
export function RawText({ text, label }: { readonly text: string; readonly label: string }) {
  const { t } = useTranslation('shared');
  const { count } = useFormat();
  const isCut = text.length > MAX_SHOWN;
  return (
    <>
      {isCut && (
        <Alert color="yellow" mb="xs">
          {t('json.cut', { shown: count(MAX_SHOWN), size: count(text.length) })}
        </Alert>
      )}
      <CodeBlock code={isCut ? text.slice(0, MAX_SHOWN) : text} copied={text} label={label} />
    </>
  );
}
