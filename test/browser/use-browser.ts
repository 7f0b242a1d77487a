import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import type { AdminClient } from '../support/admin-client.ts';
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

interface Visit extends BrowserContextOptions {
  /** Whose session the page has; a visitor by default. */
  readonly who?: AdminClient | undefined;
  /** Gets the errors of the page, but not the refusals of the gateway, which a browser reports, too. */
  readonly complaints?: string[];
}

/** Opens an address in a context of its own, until its heading is there. */
export async function openPage(
  browser: Browser,
  address: string,
  { who, complaints, ...options }: Visit = {},
): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-US', ...options });
  const { origin: url } = new URL(address);
  await context.addCookies(
    [...(who?.cookies ?? [])].map(([name, value]) => ({ name, value, url })),
  );
  const page = await context.newPage();
  page.on('pageerror', (error) => complaints?.push(error.message));
  page.on('console', (line) => {
    const isRefusal = line.text().startsWith('Failed to load resource');
    if (line.type() === 'error' && !isRefusal) complaints?.push(line.text());
  });
  await page.goto(address);
  await page.getByRole('heading', { level: 1 }).waitFor();
  return page;
}
