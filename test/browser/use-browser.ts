import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { launchChromium } from '../support/chromium.ts';

/** Of this process; it ends with it. */
let shared: Browser | undefined;

/**
 * The browser for the tests of a block, which the files of this process share. Its pages are closed after each test, or
 * after the last if the tests share them. Hooks that are to follow the closing stand before it: the runner takes the last
 * first.
 */
export function useBrowser({ sharesPages = false } = {}): () => Browser {
  let browser: Browser;
  beforeAll(async () => {
    if (!shared?.isConnected()) shared = await launchChromium();
    browser = shared;
  });
  const closeAfter = sharesPages ? afterAll : afterEach;
  closeAfter(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
  });
  return () => browser;
}
