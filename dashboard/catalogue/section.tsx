import { Text, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';

export interface SectionProps {
  readonly title: string;
  readonly note?: string;
  readonly children: ReactNode;
}

/** A part of a page under its own heading. */
export function Section({ title, note, children }: SectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <Title order={2} id={id} mb={note ? 2 : 'xs'}>
        {title}
      </Title>
      {note && (
        <Text size="sm" c="dimmed" mb="xs">
          {note}
        </Text>
      )}
      {children}
    </section>
  );
}
