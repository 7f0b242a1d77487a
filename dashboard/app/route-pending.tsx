import { Skeleton, Stack } from '@mantine/core';

/** Shown while the code of a page is on its way. */
export const RoutePending = () => (
  <Stack aria-busy="true" gap="md">
    <Skeleton height={32} width={240} />
    <Skeleton height={16} width="60%" />
    <Skeleton height={240} />
  </Stack>
);
