import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { failureOrigin } from '../../src/audit/record/failure-origin.ts';
import classes from './outcome.module.css';

/** Who is responsible for what a call came to. */
export const ORIGINS = ['ok', 'caller', 'upstream', 'gateway'] as const;
export type Origin = (typeof ORIGINS)[number];

/** The origin of a call by its outcome and the code of its error, as the statistics count it. */
export const originOf = (
  outcome: 'ok' | 'upstream_error' | 'error',
  code: string | null = null,
): Origin => failureOrigin(outcome, code) ?? 'ok';

/** The variable of `global.css` that colours an origin on every page. */
export const colourOf = (origin: Origin): `--outcome-${Origin}` => `--outcome-${origin}`;

interface Failures {
  readonly failures: Readonly<Record<Exclude<Origin, 'ok'>, number>>;
}

/** Failed calls, without those that their callers got wrong. */
export const failuresOf = ({ failures: { upstream, gateway } }: Failures): number =>
  upstream + gateway;

/** What origins are called on every page. */
export function useOriginName(): (origin: Origin) => string {
  const { t } = useTranslation('shared');
  return (origin) => t(`outcome.${origin}`);
}

interface OutcomeProps {
  readonly origin: Origin;
  /** In place of the name of the origin. */
  readonly label?: string;
  readonly children?: ReactNode;
}

/** A coloured dot, and a word that says the same without the colour. */
export function Outcome({ origin, label, children }: OutcomeProps) {
  const nameOf = useOriginName();
  return (
    <span className={classes.root}>
      <span
        className={classes.dot}
        style={{ background: `var(${colourOf(origin)})` }}
        data-origin={origin}
        aria-hidden
      />
      <span>{label ?? nameOf(origin)}</span>
      {children}
    </span>
  );
}
