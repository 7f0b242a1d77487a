import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ADMIN_ENV, type AdminClient, signIn } from '../support/admin-client.ts';
import { chromiumAvailable, launchChromium } from '../support/chromium.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { seriousFaults } from '../support/serious-faults.ts';

const NAME = 'DART_API_KEY';
const TOOL = 'dart_search_disclosures';
const PORTAL = 'PUBLIC_DATA_SERVICE_KEY';
const VALUE = 'recognisable-provider-key';
describe.runIf(chromiumAvailable)('provider keys in a browser', () => {
  let gateway: TestGateway;
  let operator: AdminClient;
  let browser: Browser;
  const complaints: string[] = [];

  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    complaints.length = 0;
    gateway = await startTestGateway({
      secrets: () => undefined,
      env: { ...ADMIN_ENV, ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') },
    });
    operator = await signIn(gateway);
    return async () => {
      // A page that stays open would complain in the next test that its gateway has ended.
      await Promise.all(browser.contexts().map((context) => context.close()));
      await gateway.close();
    };
  });

  async function openPage(hash = '', options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({ locale: 'en', ...options });
    const cookies = [...operator.cookies].map(([name, value]) => ({
      name,
      value,
      url: gateway.url,
    }));
    await context.addCookies(cookies);
    const page = await context.newPage();
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (line) => {
      if (line.type() === 'error') complaints.push(line.text());
    });
    await page.goto(`${gateway.url}/admin/settings/provider-keys${hash}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    return page;
  }

  const rowOf = (page: Page, name: string) => page.getByRole('button', { name: new RegExp(name) });
  const keyField = (page: Page) => page.getByRole('textbox', { name: 'Key', exact: true });
  const hasNote = async (): Promise<boolean> => {
    const { body } = await gateway.rpc({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const tool = body.result.tools.find(({ name }: { name: string }) => name === TOOL);
    return tool.description.includes(`Needs the secret ${NAME}`);
  };

  test('the note leaves the tool list when a key is set, and returns when it is removed', async () => {
    const page = await openPage();
    expect(await hasNote()).toBe(true);
    await rowOf(page, NAME).click();
    await keyField(page).fill(VALUE);
    await page.getByRole('button', { name: 'Test before saving' }).click();
    await page.getByText('The provider accepted it. Save it now.').waitFor();
    expect(await hasNote()).toBe(true);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText(`${NAME} is set`).waitFor();
    expect(await hasNote()).toBe(false);
    await expect.poll(() => rowOf(page, NAME).innerText()).toMatch(/\bSet$/);
    expect(await keyField(page).inputValue()).toBe('');
    await page.getByText(/Changed .* by you/).waitFor();

    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText(`${NAME} is removed`).waitFor();
    expect(await hasNote()).toBe(true);
    await expect.poll(() => rowOf(page, NAME).innerText()).toContain('Not set');
    expect(await page.content()).not.toContain(VALUE);
    expect(complaints).toEqual([]);
  });

  test('trouble with a key is told from a dataset that was not applied for', async () => {
    const page = await openPage(`#${PORTAL}`);
    const [tool = ''] = (await operator.ask('GET /provider-keys')).body.keys.find(
      ({ name }: { name: string }) => name === PORTAL,
    ).testTools;
    const result = page.getByRole('alert');
    await keyField(page).fill('expired');
    await page.getByRole('button', { name: 'Test before saving' }).click();
    await expect.poll(() => result.innerText()).toContain('The key has expired');
    expect(await result.innerText()).toContain('result code 31');

    await keyField(page).fill(VALUE);
    await gateway.fault(tool, 'status:403', 20);
    await page.getByRole('button', { name: 'Test before saving' }).click();
    await expect
      .poll(() => result.innerText())
      .toContain('The key is valid, but this dataset has not been applied for');
    const link = result.getByRole('link', { name: 'Apply for the dataset' });
    expect(await link.getAttribute('href')).toMatch(/^https:\/\/www\.data\.go\.kr\/data\/\d+/);
    expect(complaints).toEqual([]);
  });

  test('works with the keyboard alone', async () => {
    const page = await openPage();
    const row = rowOf(page, NAME);
    await row.focus();
    await page.keyboard.press('Enter');
    await keyField(page).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.type(VALUE);
    await page.keyboard.press('Enter');
    await page.getByText(`${NAME} is set`).waitFor();
    expect(await hasNote()).toBe(false);
  });

  test('a key of the environment, and a missing encryption key, are explained', async () => {
    const page = await openPage();
    await page.route('**/admin/api/provider-keys', async (route) => {
      const response = await route.fetch();
      const list = await response.json();
      const keys = list.keys.map((key: { name: string }) =>
        key.name === NAME ? { ...key, origin: 'environment' } : key,
      );
      await route.fulfill({ response, json: { canStore: false, keys } });
    });
    await page.reload();
    await page.getByText('Keys cannot be stored yet').waitFor();
    expect(await page.getByText('openssl rand -base64 32').isVisible()).toBe(true);
    await rowOf(page, NAME).click();
    await page.getByText('which wins over a stored one').waitFor();
    await keyField(page).fill(VALUE);
    expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true);
  });

  test.each<[string, BrowserContextOptions]>([
    ['in the light', { colorScheme: 'light' }],
    ['in the dark', { colorScheme: 'dark' }],
    ['in Korean, on a narrow screen', { locale: 'ko-KR', viewport: { width: 390, height: 844 } }],
  ])('has no serious fault of accessibility %s', async (_, options) => {
    const page = await openPage(`#${PORTAL}`, options);
    await page.locator('input[type=password]').fill('expired');
    await page.locator('form button:not([type=submit])').last().click();
    await page.getByRole('alert').waitFor();
    expect(await seriousFaults(page, 'main')).toEqual([]);
    const overflow = await page
      .locator('html')
      .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    expect(overflow).toBe(0);
  });
});
