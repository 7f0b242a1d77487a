import { UnstyledButton } from '@mantine/core';
import classes from './filter-chip.module.css';
import { useFormat } from './use-format.ts';

export interface FilterChipProps {
  readonly label: string;
  readonly count?: number | undefined;
  readonly isOn: boolean;
  readonly onClick: () => void;
}

/** A filter that is on or off, with the number of what it leaves. */
export function FilterChip({ label, count, isOn, onClick }: FilterChipProps) {
  const format = useFormat();
  return (
    <UnstyledButton className={classes.root} aria-pressed={isOn} onClick={onClick}>
      {label}
      {count !== undefined && <span className={classes.count}>{format.count(count)}</span>}
    </UnstyledButton>
  );
}
