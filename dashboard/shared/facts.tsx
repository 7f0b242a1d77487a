import type { ReactNode } from 'react';
import classes from './facts.module.css';

export interface FactsProps {
  /** By default, a frame with columns. */
  readonly look?: 'framed' | 'plain' | 'line' | 'rows' | 'figures';
  readonly label?: string;
  /** Those without a value are left out. */
  readonly facts: Readonly<Record<string, ReactNode>>;
}

/** Names with their values. */
export const Facts = ({ look = 'framed', label, facts }: FactsProps) => (
  <dl className={classes.facts} data-look={look} aria-label={label}>
    {Object.entries(facts)
      .filter(
        ([, value]) => value !== null && value !== undefined && value !== false && value !== '',
      )
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
);
