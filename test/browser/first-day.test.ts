import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ADMIN, ADMIN_ENV } from '../support/admin-client.ts';
import { chromiumAvailable } from '../support/chromium.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { useBrowser } from './use-browser.ts';

describe.runIf(chromiumAvailable)('the first day with the dashboard', () => {
  const browser = useBrowser();
  let gateway: TestGateway;
  let page: Page;

  beforeAll(async () => {
    gateway = await startTestGateway({ env: ADMIN_ENV });
    page = await (await browser().newContext({ locale: 'en-US' })).newPage();
  });
  afterAll(() => gateway?.close());

  const heading = (name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();

  test('leads from the address of the gateway to a key, a call, its traces and its end', async () => {
    await page.goto(gateway.url);
    await page.getByRole('link', { name: 'API keys', exact: true }).first().click();
    await heading('Sign in');
    await page.getByLabel('E-mail').fill(ADMIN.email);
    await page.getByLabel('Password', { exact: true }).fill(ADMIN.password);
    await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click();

    await heading('API keys');
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('first key');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    const key = (await page.getByTestId('secret').innerText()).trim();
    expect(key).toMatch(/^tg_live_/);

    const live = await page.context().newPage();
    await live.goto(`${gateway.url}/admin/live`);
    await live.getByRole('heading', { level: 1 }).waitFor();
    await expect
      .poll(async () => {
        expect((await gateway.call('frankfurter_rates', {}, key)).status).toBe(200);
        return live.getByText('frankfurter_rates').count();
      })
      .toBeGreaterThan(0);

    await live.goto(`${gateway.url}/admin/audit`);
    await live
      .getByRole('row', { name: /frankfurter_rates/ })
      .first()
      .waitFor();

    await page.goto(`${gateway.url}/admin/settings/keys`);
    await page.getByRole('button', { name: 'Actions for first key' }).click();
    await page.getByRole('menuitem', { name: 'Revoke' }).click();
    const confirm = page.getByRole('dialog');
    await confirm.getByRole('textbox').fill('first key');
    await confirm.getByRole('button', { name: 'Revoke' }).click();
    await confirm.waitFor({ state: 'detached' });
    await expect
      .poll(async () => (await gateway.call('frankfurter_rates', {}, key)).status)
      .toBe(401);
  });
});
