import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { ADMIN_ENV, type AdminClient, signIn } from '../test/support/admin-client.ts';
import { launchChromium } from '../test/support/chromium.ts';
import { type RunningGateway, startGatewayProcess } from '../test/support/gateway-process.ts';
import { quantile } from './quantile.ts';

/**
 * How long the first pages of the dashboard take to become interactive in a browser that has just been started, so with
 * nothing in its caches: until the heading is shown, and no task of the main thread is longer than 50 ms any more.
 * `npm run bench:interactive`. Fails if a page takes too long.
 */
const BAR_MS = 2000;
const RUNS = 7;
/** The main thread must have been idle for this long, and the network too. */
const QUIET_MS = 1500;
const PAGES = [
  { path: '/admin', isSignedIn: false },
  { path: '/admin/sign-in', isSignedIn: false },
  { path: '/admin/catalogue', isSignedIn: false },
  { path: '/admin/overview', isSignedIn: true },
  { path: '/admin/settings/keys', isSignedIn: true },
] as const;

const WATCH = `
  globalThis.lastLongTaskMs = 0;
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries())
      globalThis.lastLongTaskMs = Math.max(globalThis.lastLongTaskMs, startTime + duration);
  }).observe({ type: 'longtask', buffered: true });
`;

const dataDir = await mkdtemp(join(tmpdir(), 'gateway-interactive-'));
const gateway = await startGatewayProcess({ ...ADMIN_ENV, DATA_DIR: dataDir });
try {
  const admin = await signIn(gateway);
  console.log('Milliseconds until a page is interactive, with cold caches: median, slowest');
  for (const { path, isSignedIn } of PAGES) {
    const times: number[] = [];
    for (let run = 0; run < RUNS; run++)
      times.push(await interactiveAfter(gateway, path, isSignedIn ? admin : undefined));
    const [median, slowest] = [0.5, 1].map((share) => Math.round(quantile(times, share)));
    const isSlow = (median ?? 0) > BAR_MS;
    if (isSlow) process.exitCode = 1;
    console.log(`  ${median} ${slowest}  ${path}${isSlow ? '  TOO SLOW' : ''}`);
  }
} finally {
  await gateway.stop();
  await rm(dataDir, { recursive: true });
}

async function interactiveAfter(
  { url }: RunningGateway,
  path: string,
  person: AdminClient | undefined,
): Promise<number> {
  const browser = await launchChromium();
  try {
    const context = await browser.newContext();
    if (person) await addCookies(context, url, person);
    const page = await context.newPage();
    await page.addInitScript(WATCH);
    await page.goto(url + path);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    const shownMs = await page.evaluate<number>('performance.now()');
    await page.waitForLoadState('networkidle');
    await page.waitForTimeout(QUIET_MS);
    const busyUntilMs = await page.evaluate<number>('globalThis.lastLongTaskMs');
    return Math.max(shownMs, busyUntilMs);
  } finally {
    await browser.close();
  }
}

function addCookies(context: BrowserContext, url: string, { cookies }: AdminClient) {
  return context.addCookies([...cookies].map(([name, value]) => ({ name, value, url })));
}
