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

/** A browser that makes no requests on its own. */
export const launchChromium = (): Promise<Browser> =>
  chromium.launch({
    executablePath: PATH,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
