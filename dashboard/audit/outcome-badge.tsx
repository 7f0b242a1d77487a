import { useTranslation } from 'react-i18next';
import classes from './outcome-badge.module.css';

interface OutcomeBadgeProps {
  readonly outcome: 'ok' | 'upstream_error' | 'error';
  /** The code of the error, or the status of the upstream, if that says more. */
  readonly cause?: string | null;
}

/** What a call came to: a coloured dot, its name, and the cause of a failure. */
export function OutcomeBadge({ outcome, cause }: OutcomeBadgeProps) {
  const { t } = useTranslation('audit');
  return (
    <span className={classes.root}>
      <span className={classes.dot} data-outcome={outcome} aria-hidden />
      <span>{t(`outcome.${outcome}`)}</span>
      {cause && <span className={classes.cause}>{cause}</span>}
    </span>
  );
}

interface Ending {
  readonly outcome: OutcomeBadgeProps['outcome'];
  readonly error: { readonly code: string } | null;
  readonly upstream: { readonly status: number | null };
}

/** The cause of a failure; null for a success. */
export const causeOf = ({ outcome, error, upstream }: Ending): string | null => {
  if (outcome === 'ok') return null;
  return error?.code ?? (upstream.status === null ? null : String(upstream.status));
};
