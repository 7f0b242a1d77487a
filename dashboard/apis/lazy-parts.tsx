import { lazyPart } from '../shared/lazy-part.tsx';

export const LazyReportView = lazyPart(async () => (await import('./report-view.tsx')).ReportView);
export const LazySettingsPanel = lazyPart(
  async () => (await import('./settings-panel.tsx')).SettingsPanel,
);
export const LazyRefreshForm = lazyPart(
  async () => (await import('./refresh-form.tsx')).RefreshForm,
);
