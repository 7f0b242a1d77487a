import { Skeleton } from '@mantine/core';
import { type ComponentProps, type ComponentType, lazy, Suspense } from 'react';

/** A part of a page that is loaded only when it is shown. */
function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  const Part = lazy(async () => ({ default: await load() }));
  return (props: ComponentProps<typeof Part>) => (
    <Suspense fallback={<Skeleton h={200} />}>
      <Part {...props} />
    </Suspense>
  );
}

export const LazyReportView = lazyPart(async () => (await import('./report-view.tsx')).ReportView);
export const LazySettingsPanel = lazyPart(
  async () => (await import('./settings-panel.tsx')).SettingsPanel,
);
export const LazyTrialPanel = lazyPart(async () => (await import('./trial-panel.tsx')).TrialPanel);
export const LazyRefreshForm = lazyPart(
  async () => (await import('./refresh-form.tsx')).RefreshForm,
);
