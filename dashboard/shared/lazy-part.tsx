import { type ComponentProps, type ComponentType, lazy, Suspense } from 'react';
import { FormSkeleton } from './skeletons.tsx';

/** A part of a page that is loaded only when it is shown. */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  const Part = lazy(async () => ({ default: await load() }));
  return (props: ComponentProps<typeof Part>) => (
    <Suspense fallback={<FormSkeleton />}>
      <Part {...props} />
    </Suspense>
  );
}
