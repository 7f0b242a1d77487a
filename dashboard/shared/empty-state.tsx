import { Text } from '@mantine/core';
import type { IconProps } from '@tabler/icons-react';
import type { ComponentType, ReactNode } from 'react';
import classes from './empty-state.module.css';

export interface EmptyStateProps {
  readonly icon: ComponentType<IconProps>;
  /** What is empty. */
  readonly title: string;
  /** What to do about it. */
  readonly text?: ReactNode;
  readonly action?: ReactNode;
}

/** In place of a list without rows. */
export const EmptyState = ({ icon: Icon, title, text, action }: EmptyStateProps) => (
  <div className={classes.root}>
    <span className={classes.icon}>
      <Icon size={28} stroke={1.4} aria-hidden />
    </span>
    <Text fw={600}>{title}</Text>
    {text && (
      <Text size="sm" c="dimmed" maw="32rem" component="div">
        {text}
      </Text>
    )}
    {action && <div className={classes.action}>{action}</div>}
  </div>
);
