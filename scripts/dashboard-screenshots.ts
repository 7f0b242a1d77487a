import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { type AdminClient, signIn } from '../test/support/admin-client.ts';
import { type RunningGateway, startGatewayProcess } from '../test/support/gateway-process.ts';

const ADMIN = { email: 'admin@example.com', password: 'a password for pictures' };

/** A gateway with sample upstreams and an administrator. */
export const startForPictures = (dataDir: string): Promise<RunningGateway> =>
  startGatewayProcess({
    DATA_DIR: dataDir,
    PORT: '8080',
    ADMIN_EMAIL: ADMIN.email,
    ADMIN_PASSWORD: ADMIN.password,
    ENCRYPTION_KEY: Buffer.alloc(32, 'k').toString('base64'),
    // The sandbox refuses it, so that the overview names a problem.
    ECOS_API_KEY: 'wrong',
  });

/** Calls whose traces the pictures show. */
const CALLS: readonly (readonly [tool: string, args: object])[] = [
  ['frankfurter_rates', { base: 'USD', quotes: 'KRW' }],
  ['kma_village_forecast', { lat: 37.57, lon: 126.98 }],
  ['kma_ultra_short_nowcast', { lat: 35.18, lon: 129.08 }],
  ['openmeteo_forecast', { latitude: 48.2, longitude: 16.4 }],
  ['ecos_key_statistics', {}],
  ['kofic_daily_box_office', {}],
  ['frankfurter_rates', { base: 'XXXX' }],
];

interface Picture {
  readonly name: string;
  readonly path: string;
  readonly act?: (page: Page) => Promise<unknown>;
}

const PICTURES: readonly Picture[] = [
  { name: 'dashboard-overview', path: '/admin/overview?range=1h' },
  {
    name: 'dashboard-playground',
    path: '/admin/catalogue/openmeteo_forecast',
    act: async (page) => {
      const values = { latitude: '37.57', longitude: '126.98', hourly: 'temperature_2m' };
      await page.getByRole('button', { name: 'Choose on the map' }).click();
      for (const [name, value] of Object.entries(values)) {
        await page.getByRole('textbox', { name }).first().fill(value);
      }
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await page
        .getByText(/^(?:HIT|MISS)$/)
        .first()
        .waitFor();
      await page.getByRole('tab', { name: 'Chart' }).click();
      await page.getByRole('heading', { name: 'Playground' }).scrollIntoViewIfNeeded();
    },
  },
];

/** Takes the pictures of the dashboard after some calls. */
export async function takeDashboard(
  browser: Browser,
  gateway: RunningGateway,
  images: string,
): Promise<void> {
  for (let round = 0; round < 12; round++) {
    for (const [tool, args] of CALLS) await gateway.call(tool, args);
  }
  const admin = await signIn(gateway, ADMIN);
  // Statistics are counted within seconds.
  await sleep(5000);
  for (const picture of PICTURES) await take(browser, gateway, images, picture, admin);
}

async function take(
  browser: Browser,
  { url }: RunningGateway,
  images: string,
  { name, path, act }: Picture,
  admin: AdminClient,
): Promise<void> {
  const viewport = { width: 1280, height: 860 };
  const context = await browser.newContext({ locale: 'en-US', viewport });
  await context.addCookies(cookiesOf(admin, url));
  const page = await context.newPage();
  await page.goto(`${url}${path}`);
  await settle(page);
  await act?.(page);
  await sleep(1000);
  await page.screenshot({ path: join(images, `${name}.png`), animations: 'disabled' });
  await context.close();
}

const cookiesOf = (
  { cookies }: AdminClient,
  url: string,
): Parameters<BrowserContext['addCookies']>[0] =>
  [...cookies].map(([name, value]) => ({ name, value, url }));

async function settle(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForLoadState('networkidle').catch(() => undefined);
  await page.locator('.mantine-Skeleton-root').waitFor({ state: 'detached' });
}
