import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const PATH = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';

/** Whether a browser is installed; in CI, its absence is a failure. */
export const chromiumAvailable = existsSync(PATH);
if (!chromiumAvailable) {
  if (process.env['CI'] === 'true')
    throw new Error(`Chromium must be installed at ${PATH} when CI=true.`);
  console.warn(`No Chromium at ${PATH} (CHROMIUM_PATH): tests that need a browser are skipped.`);
}

/** On a slow machine where other tests run, a page can take longer than the 30 seconds that are the default. */
const PAGE_TIMEOUT_MS = 120_000;

/**
 * Features that cost a test time or send requests. Each new context opens a window, whose address bar renders two hidden
 * pages of its own: a quarter of the browser's time. The list replaces that of Playwright, whose entries for this platform
 * it repeats.
 */
const WITHOUT_FEATURES = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];

/** A browser that makes no requests on its own. */
export async function launchChromium(): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: PATH,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      `--disable-features=${WITHOUT_FEATURES.join(',')}`,
    ],
  });
  browser.on('context', (context) => context.setDefaultTimeout(PAGE_TIMEOUT_MS));
  return browser;
}
