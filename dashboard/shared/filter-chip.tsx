import { Button, Text } from '@mantine/core';
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
    <Button
      size="compact-sm"
      radius="xl"
      variant={isOn ? 'light' : 'default'}
      fw={isOn ? 600 : 400}
      aria-pressed={isOn}
      onClick={onClick}
      rightSection={
        count !== undefined && (
          <Text span size="xs" fw={400} {...(!isOn && { c: 'dimmed' })}>
            {format.count(count)}
          </Text>
        )
      }
    >
      {label}
    </Button>
  );
}
