import { Skeleton, Stack } from '@mantine/core';
import { type ComponentProps, type ComponentType, lazy, Suspense } from 'react';

/** In place of what is being loaded. */
export const Waiting = ({ lines = 6 }: { readonly lines?: number }) => (
  <Stack gap="md" py="xs" aria-busy="true">
    {Array.from({ length: lines }, (_, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: these never change their order.
      <Skeleton key={at} height={16} width={at % 2 ? '55%' : '75%'} />
    ))}
  </Stack>
);

/** A part of a page that is loaded only when it is shown. */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  const Part = lazy(async () => ({ default: await load() }));
  return (props: ComponentProps<typeof Part>) => (
    <Suspense fallback={<Waiting />}>
      <Part {...props} />
    </Suspense>
  );
}
