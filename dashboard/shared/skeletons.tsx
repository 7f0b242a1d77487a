import { Skeleton } from '@mantine/core';
import classes from './skeletons.module.css';

interface SkeletonProps {
  readonly count?: number;
}

const positions = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

/** Rows of a table without columns, while what they show is being loaded. */
export const RowsSkeleton = ({ count = 6 }: SkeletonProps) => (
  <div className={classes.rows} aria-busy="true">
    {positions(count).map((at) => (
      <div key={at} className={classes.row}>
        <Skeleton height={12} width={at % 2 ? '55%' : '75%'} />
        <Skeleton height={12} width="60%" />
        <Skeleton height={12} width="40%" />
      </div>
    ))}
  </div>
);

/** Names with their values, while these are being loaded. */
export const FactsSkeleton = ({ count = 4 }: SkeletonProps) => (
  <div className={classes.facts} aria-busy="true">
    {positions(count).map((at) => (
      <div key={at}>
        <Skeleton height={10} width="35%" mb={8} />
        <Skeleton height={14} width={at % 2 ? '60%' : '80%'} />
      </div>
    ))}
  </div>
);

/** Fields with their labels and a button, while a form is being loaded. */
export const FormSkeleton = ({ count = 3 }: SkeletonProps) => (
  <div className={classes.form} aria-busy="true">
    {positions(count).map((at) => (
      <div key={at}>
        <Skeleton height={12} width="30%" mb={8} />
        <Skeleton height={36} />
      </div>
    ))}
    <Skeleton height={36} width={120} />
  </div>
);

/** A card with a title, two lines and a foot, within a grid or a list of cards. */
export const CardSkeleton = () => (
  <div className={classes.card} aria-busy="true">
    <Skeleton height={16} width="65%" />
    <Skeleton height={12} />
    <Skeleton height={12} width="85%" />
    <Skeleton height={12} width="35%" />
  </div>
);
