import { useTranslation } from 'react-i18next';
import classes from './code-block.module.css';
import { CopyButton } from './copy-button.tsx';

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
    <figure className={classes.root}>
      <figcaption className={classes.caption}>
        {label}
        <CopyButton value={copied ?? code} label={t('copy.of', { label })} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it. */}
      <pre className={classes.code} tabIndex={0}>
        <code>{code}</code>
      </pre>
    </figure>
  );
}
