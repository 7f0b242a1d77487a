import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { registerApi } from '../own-apis/register-api.ts';
import { ADMIN_ENV, type AdminClient, signIn } from '../support/admin-client.ts';
import { chromiumAvailable, launchChromium } from '../support/chromium.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { seriousFaults } from '../support/serious-faults.ts';

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
  '/admin/live',
  '/admin/audit',
  '/admin/apis',
  '/admin/settings/keys',
  '/admin/settings/provider-keys',
  '/admin/settings/members',
  '/admin/settings/tenants',
  '/admin/settings/people',
  '/admin/settings/approvals',
  '/admin/settings/trail',
  '/admin/settings/account',
];

describe.runIf(chromiumAvailable)('every page', { timeout: 300_000 }, () => {
  let gateway: TestGateway;
  let browser: Browser;
  let operator: AdminClient;

  beforeAll(async () => {
    gateway = await startTestGateway({
      env: {
        ...ADMIN_ENV,
        ALLOW_PRIVATE_UPSTREAMS: 'true',
        ENCRYPTION_KEY: Buffer.alloc(32, 'k').toString('base64'),
      },
    });
    browser = await launchChromium();
    operator = await signIn(gateway);
    await gateway.call('frankfurter_rates', {});
    await gateway.call('no_such_tool', {});
    await registerApi(gateway, gateway.key, {
      name: 'Reading list',
      spec_url: `${gateway.sandbox.url}/practice/openapi.yaml`,
      auth: { type: 'bearer', token: 'practice-token' },
    });
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
  });

  const openContext = async (isSignedIn: boolean, options = {}): Promise<BrowserContext> => {
    const context = await browser.newContext({ locale: 'en-US', ...options });
    if (isSignedIn) {
      await context.addCookies(
        [...operator.cookies].map(([name, value]) => ({ name, value, url: gateway.url })),
      );
    }
    return context;
  };

  /** Resolves once the page has its heading, and nothing is being loaded. */
  async function visit(page: Page, path: string): Promise<void> {
    await page.goto(`${gateway.url}${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expect
      .poll(() => page.locator('[aria-busy="true"], .mantine-Skeleton-root').count(), {
        timeout: 30_000,
      })
      .toBe(0);
  }

  describe.each([
    ['for visitors', false, PUBLIC],
    ['for an operator', true, SIGNED_IN],
  ] as const)('%s', (_who, isSignedIn, paths) => {
    test.each(['light', 'dark'] as const)(
      'has no serious fault of accessibility when it is %s',
      async (colorScheme) => {
        const context = await openContext(isSignedIn, { colorScheme });
        const page = await context.newPage();
        const faults: string[] = [];
        for (const path of paths) {
          await visit(page, path);
          faults.push(...(await seriousFaults(page)).map((fault) => `${path}: ${fault}`));
        }
        await context.close();
        expect(faults).toEqual([]);
      },
    );

    test('asks nobody but the gateway, and breaks no rule of its policy', async () => {
      const context = await openContext(isSignedIn);
      const page = await context.newPage();
      const foreign: string[] = [];
      const complaints: string[] = [];
      page.on('request', (request) => {
        if (!request.url().startsWith(gateway.url)) foreign.push(request.url());
      });
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('console', (line) => {
        const isMissing = line.text().includes('status of 404');
        if (['error', 'warning'].includes(line.type()) && !isMissing) complaints.push(line.text());
      });
      for (const path of paths) await visit(page, path);
      await context.close();
      expect([foreign, complaints]).toEqual([[], []]);
    });

    test.each(['en-US', 'ko-KR'])(
      'fits a telephone without scrolling sideways (%s)',
      async (locale) => {
        const viewport = { width: 390, height: 844 };
        const context = await openContext(isSignedIn, { locale, viewport });
        const page = await context.newPage();
        const tooWide: string[] = [];
        for (const path of paths) {
          await visit(page, path);
          const width = await page.evaluate('document.documentElement.scrollWidth');
          if (Number(width) > viewport.width) tooWide.push(`${path}: ${width} px`);
        }
        await context.close();
        expect(tooWide).toEqual([]);
      },
    );

    test('is in Korean for browsers that ask for it', async () => {
      const context = await openContext(isSignedIn, { locale: 'ko-KR' });
      const page = await context.newPage();
      for (const path of paths) {
        await visit(page, path);
        expect(await page.getByRole('heading', { level: 1 }).innerText(), path).toBeTruthy();
        expect(await page.locator('html').getAttribute('lang')).toBe('ko');
        expect(await page.locator('body').innerText(), path).toMatch(/[가-힣]/);
      }
      await context.close();
    });
  });
});
