import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const PATH = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';

/** Whether there is a browser to test with; under CI its absence is a failure. */
export const chromiumAvailable = existsSync(PATH);
if (!chromiumAvailable) {
  if (process.env['CI'] === 'true')
    throw new Error(`There must be a Chromium at ${PATH} when CI=true.`);
  console.warn(
    `There is no Chromium at ${PATH} (CHROMIUM_PATH): what needs a browser is left out.`,
  );
}

/** A browser that by itself says nothing to anybody. */
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
