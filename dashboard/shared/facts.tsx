import type { ReactNode } from 'react';

interface FactsProps {
  readonly className: string;
  readonly label?: string;
  readonly facts: readonly (readonly [name: string, value: ReactNode])[];
}

/** Names with their values. */
export const Facts = ({ className, label, facts }: FactsProps) => (
  <dl className={className} aria-label={label}>
    {facts.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);
