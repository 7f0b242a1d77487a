import { Skeleton } from '@mantine/core';
import { type ComponentProps, lazy, Suspense } from 'react';
import type { RefreshForm } from './refresh-form.tsx';
import type { ReportView } from './report-view.tsx';
import type { SettingsPanel } from './settings-panel.tsx';
import type { TrialPanel } from './trial-panel.tsx';

const Report = lazy(async () => ({ default: (await import('./report-view.tsx')).ReportView }));
const Settings = lazy(async () => ({
  default: (await import('./settings-panel.tsx')).SettingsPanel,
}));
const Trial = lazy(async () => ({ default: (await import('./trial-panel.tsx')).TrialPanel }));
const Refresh = lazy(async () => ({ default: (await import('./refresh-form.tsx')).RefreshForm }));

const LOADING = <Skeleton h={200} />;

/** Parts of pages that are loaded only when they are shown. */
export const LazyReportView = (props: ComponentProps<typeof ReportView>) => (
  <Suspense fallback={LOADING}>
    <Report {...props} />
  </Suspense>
);

export const LazySettingsPanel = (props: ComponentProps<typeof SettingsPanel>) => (
  <Suspense fallback={LOADING}>
    <Settings {...props} />
  </Suspense>
);

export const LazyTrialPanel = (props: ComponentProps<typeof TrialPanel>) => (
  <Suspense fallback={LOADING}>
    <Trial {...props} />
  </Suspense>
);

export const LazyRefreshForm = (props: ComponentProps<typeof RefreshForm>) => (
  <Suspense fallback={LOADING}>
    <Refresh {...props} />
  </Suspense>
);
