import { useTranslation } from 'react-i18next';
import classes from './json.module.css';
import { JsonNode } from './json-node.tsx';

export interface JsonProps {
  /** A JSON value of any size: only what is open is rendered, and long lists and texts in pieces. */
  readonly value: unknown;
  /** What it is, for screen readers. */
  readonly label: string;
}

/** A JSON value as a tree whose branches open and close. */
export function Json({ value, label }: JsonProps) {
  useTranslation('shared');
  return (
    <section className={classes.root} aria-label={label}>
      <JsonNode name={null} value={value} depth={0} />
    </section>
  );
}
