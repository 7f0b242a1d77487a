import { setTimeout } from 'node:timers/promises';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { registerApi } from '../own-apis/register-api.ts';
import { ADMIN_ENV, type AdminClient, signIn } from '../support/admin-client.ts';
import { chromiumAvailable } from '../support/chromium.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { seriousFaults } from '../support/serious-faults.ts';
import { until } from '../support/until.ts';
import { useBrowser } from './use-browser.ts';

const PUBLIC = [
  '/',
  '/admin',
  '/admin/sign-in',
  '/admin/catalogue',
  '/admin/catalogue/frankfurter_rates',
  '/admin/no-such-page',
];
const SIGNED_IN = [
  '/admin/overview',
  '/admin/catalogue',
  '/admin/catalogue/kma_ultra_short_nowcast',
  '/admin/connect',
  '/admin/live',
  '/admin/audit',
  '/admin/apis',
  '/admin/apis/dataset',
  '/admin/apis/register',
  '/admin/apis/:api',
  '/admin/apis/jobs/:job',
  '/admin/settings/keys',
  '/admin/settings/keys/:key',
  '/admin/settings/own-keys',
  '/admin/settings/provider-keys',
  '/admin/settings/members',
  '/admin/settings/tenants',
  '/admin/settings/people',
  '/admin/settings/trail',
  '/admin/settings/account',
];

/** What users take for stable, as web.dev says. */
const MAX_SHIFT = 0.1;

const DESKTOP = { width: 1280, height: 720 };
const TABLET = { width: 820, height: 1180 };
const TELEPHONE = { width: 390, height: 844 };

/** Tables that scroll sideways, and texts of their cells that are cut. */
const CUT_TABLES = `[...document.querySelectorAll('table, td, td *')]
  .filter((one) => {
    const { scrollWidth, clientWidth } = one.tagName === 'TABLE' ? one.parentElement : one;
    const hides = one.tagName === 'TABLE' || getComputedStyle(one).overflowX !== 'visible';
    return hides && clientWidth > 0 && scrollWidth > clientWidth + 1;
  })
  .map((one) => one.tagName + ': ' + one.textContent.slice(0, 60))`;

/** Adds up how far the contents have moved without the reader's doing. */
const OBSERVE_SHIFTS = `globalThis.shift = 0;
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) shift += value;
  }).observe({ type: 'layout-shift', buffered: true });`;

/** How far the header covers what has the focus, in pixels; the link to the contents is above the header. */
const HIDDEN_BY_HEADER = `(() => {
  const header = document.querySelector('header');
  const focused = document.activeElement;
  if (!document.querySelector('main').contains(focused)) return 0;
  return header.getBoundingClientRect().bottom - focused.getBoundingClientRect().top;
})()`;

/** What is right within two seconds, else what is wrong then: tables are arranged with the next frame, which may be late. */
async function atLast<T>(read: () => Promise<T>, isRight: (found: T) => boolean): Promise<T> {
  for (let tries = 20; ; tries--) {
    const found = await read();
    if (tries === 0 || isRight(found)) return found;
    await setTimeout(100);
  }
}

describe.runIf(chromiumAvailable)('every page', { timeout: 300_000 }, () => {
  const browser = useBrowser();
  let gateway: TestGateway;
  let operator: AdminClient;
  /** What names in the paths stand for. */
  let ids: Readonly<Record<string, string>>;

  beforeAll(async () => {
    gateway = await startTestGateway({
      env: {
        ...ADMIN_ENV,
        ALLOW_PRIVATE_UPSTREAMS: 'true',
        ENCRYPTION_KEY: Buffer.alloc(32, 'k').toString('base64'),
      },
    });
    operator = await signIn(gateway);
    await gateway.call('frankfurter_rates', {});
    await gateway.call('no_such_tool', {});
    const { job, registration } = await registerApi(gateway, gateway.key, {
      name: 'Reading list',
      spec_url: `${gateway.sandbox.url}/practice/openapi.yaml`,
      auth: { type: 'bearer', token: 'practice-token' },
    });
    const { id: key } = await gateway.createKey('default');
    ids = { api: registration.id, job: job.jobId, key };
  });
  afterAll(() => gateway?.close());

  const openContext = async (isSignedIn: boolean, options = {}): Promise<BrowserContext> => {
    const context = await browser().newContext({ locale: 'en-US', ...options });
    if (isSignedIn) {
      await context.addCookies(
        [...operator.cookies].map(([name, value]) => ({ name, value, url: gateway.url })),
      );
    }
    return context;
  };

  /** Resolves once the page has its heading, and nothing is being loaded. */
  async function visit(page: Page, path: string): Promise<void> {
    await page.goto(gateway.url + path.replace(/:(\w+)/, (_, name) => ids[name] ?? ''));
    await page.getByRole('heading', { level: 1 }).waitFor();
    const loading = page.locator('[aria-busy="true"], .mantine-Skeleton-root');
    await until(async () => (await loading.count()) === 0);
  }

  describe.each([
    ['for visitors', false, PUBLIC],
    ['for an operator', true, SIGNED_IN],
  ] as const)('%s', (_who, isSignedIn, paths) => {
    // A page takes seconds to load: all is checked in one visit for each language.
    const foreign: string[] = [];
    const complaints: string[] = [];
    const notKorean: string[] = [];
    const faults = { light: [] as string[], dark: [] as string[] };
    const cut: string[] = [];
    const tooWide = { 'en-US': [] as string[], 'ko-KR': [] as string[] };

    async function visitAll(
      locale: keyof typeof tooWide,
      look: (page: Page, path: string) => Promise<void>,
    ): Promise<void> {
      const context = await openContext(isSignedIn, { locale });
      const page = await context.newPage();
      page.on('request', (request) => {
        if (!request.url().startsWith(gateway.url)) foreign.push(request.url());
      });
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('console', (line) => {
        const isMissing = line.text().includes('status of 404');
        if (['error', 'warning'].includes(line.type()) && !isMissing) complaints.push(line.text());
      });
      for (const path of paths) {
        await page.setViewportSize(DESKTOP);
        await visit(page, path);
        await look(page, path);
        for (const screen of [TABLET, TELEPHONE]) {
          await page.setViewportSize(screen);
          const width = () => page.evaluate<number>('document.documentElement.scrollWidth');
          const wide = await atLast(width, (found) => found <= screen.width);
          if (wide > screen.width) tooWide[locale].push(`${path}: ${wide} px`);
          if (screen === TELEPHONE) continue;
          const texts = () => page.evaluate<string[]>(CUT_TABLES);
          const found = await atLast(texts, ({ length }) => length === 0);
          cut.push(...found.map((text) => `${path} (${locale}): ${text}`));
        }
      }
      await context.close();
    }

    beforeAll(async () => {
      await visitAll('en-US', async (page, path) => {
        const found = (await seriousFaults(page)).map((fault) => `${path}: ${fault}`);
        faults.light.push(...found);
        await page.emulateMedia({ colorScheme: 'dark' });
        const scheme = page.locator('html[data-mantine-color-scheme="dark"]');
        await scheme.waitFor();
        // Nothing but colours differs.
        const inDark = await seriousFaults(page, 'html', ['color-contrast']);
        faults.dark.push(...inDark.map((fault) => `${path}: ${fault}`));
        await page.emulateMedia({ colorScheme: 'light' });
      });
      await visitAll('ko-KR', async (page, path) => {
        const heading = await page.getByRole('heading', { level: 1 }).innerText();
        const language = await page.locator('html').getAttribute('lang');
        const text = await page.locator('body').innerText();
        if (heading === '' || language !== 'ko' || !/[가-힣]/.test(text)) notKorean.push(path);
      });
    }, 900_000);

    test.each(['light', 'dark'] as const)(
      'has no serious fault of accessibility when it is %s',
      (colorScheme) => {
        expect(faults[colorScheme]).toEqual([]);
      },
    );

    test('asks nobody but the gateway, and breaks no rule of its policy', () => {
      expect([foreign, complaints]).toEqual([[], []]);
    });

    test('is in Korean for browsers that ask for it', () => {
      expect(notKorean).toEqual([]);
    });

    test.each(['en-US', 'ko-KR'] as const)(
      'fits a tablet and a telephone without scrolling sideways (%s)',
      (locale) => {
        expect(tooWide[locale]).toEqual([]);
      },
    );

    test('cuts no text of a table on a tablet', () => {
      expect(cut).toEqual([]);
    });
  });

  test.each([
    ['desktop', DESKTOP],
    ['telephone', TELEPHONE],
  ])('moves nothing while a slow %s loads it over a slow connection', async (_which, viewport) => {
    const moved: string[] = [];
    for (const path of [...SIGNED_IN, ...PUBLIC]) {
      const context = await openContext(SIGNED_IN.includes(path), { viewport });
      const page = await context.newPage();
      await page.addInitScript(OBSERVE_SHIFTS);
      const devtools = await context.newCDPSession(page);
      await devtools.send('Emulation.setCPUThrottlingRate', { rate: 4 });
      await devtools.send('Network.emulateNetworkConditions', {
        offline: false,
        latency: 100,
        downloadThroughput: 1_000_000,
        uploadThroughput: 500_000,
      });
      await visit(page, path);
      const shift = await page.evaluate<number>('shift');
      if (shift >= MAX_SHIFT) moved.push(`${path}: ${shift.toFixed(3)}`);
      await context.close();
    }
    expect(moved).toEqual([]);
  });

  test.each(['/admin/catalogue/kma_ultra_short_nowcast', '/admin/settings/account'])(
    'never has the focus under its header: %s',
    async (path) => {
      const context = await openContext(true, { viewport: { width: 1280, height: 400 } });
      const page = await context.newPage();
      await visit(page, path);
      await page.getByRole('link', { name: 'OpenAPI' }).focus();
      for (let steps = 0; steps < 40; steps++) {
        await page.keyboard.press('Shift+Tab');
        expect(await page.evaluate<number>(HIDDEN_BY_HEADER)).toBeLessThanOrEqual(0);
      }
    },
  );
});
