import { Group, Paper, Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Hint } from './page.tsx';

export interface SectionProps {
  readonly title: string;
  readonly description?: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** One topic of a page, in a frame of its own. */
export const Section = ({ title, description, actions, children }: SectionProps) => (
  <Paper component="section" aria-label={title} withBorder p={{ base: 'md', sm: 'lg' }} radius="lg">
    <Stack gap="md">
      <Group justify="space-between" align="flex-start" gap="sm">
        <div>
          <Title order={2} size="h4">
            {title}
          </Title>
          {description && <Hint maw="44rem">{description}</Hint>}
        </div>
        {actions}
      </Group>
      {children}
    </Stack>
  </Paper>
);
