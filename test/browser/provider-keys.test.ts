import type { BrowserContextOptions, Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { ADMIN_ENV, type AdminClient, signIn } from '../support/admin-client.ts';
import { chromiumAvailable } from '../support/chromium.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { seriousFaults } from '../support/serious-faults.ts';
import { openPage, useBrowser } from './use-browser.ts';

const NAME = 'DART_API_KEY';
const TOOL = 'dart_search_disclosures';
const PORTAL = 'PUBLIC_DATA_SERVICE_KEY';
const VALUE = 'recognisable-provider-key';
/** A provider that allows 20 requests a day. */
const LIMITED = `openapi: 3.1.0
info: { title: Limited, version: "1" }
servers: [{ url: "http://limited.invalid" }]
x-quota: { calls: 20 }
paths:
  /row:
    get:
      operationId: limited_row
      parameters:
        - { name: n, in: query, description: A number., schema: { type: integer } }
        - { name: key, in: query, x-secret: LIMITED_KEY, schema: { type: string } }
      responses: { "200": { description: A row. } }
`;
describe.runIf(chromiumAvailable)('provider keys in a browser', () => {
  const browser = useBrowser();
  let gateway: TestGateway;
  let operator: AdminClient;
  const complaints: string[] = [];

  beforeEach(async () => {
    complaints.length = 0;
    gateway = await startTestGateway({
      secrets: () => undefined,
      presets: { limited: LIMITED },
      env: { ...ADMIN_ENV, ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') },
    });
    operator = await signIn(gateway);
    return () => gateway.close();
  });

  const open = (hash = '', options: BrowserContextOptions = {}, path = 'provider-keys') =>
    openPage(browser(), `${gateway.url}/admin/settings/${path}${hash}`, {
      who: operator,
      complaints,
      ...options,
    });

  const rowOf = (page: Page, name: string) => page.getByRole('button', { name: new RegExp(name) });
  const keyField = (page: Page) => page.getByRole('textbox', { name: 'Key', exact: true });
  const hasNote = async (): Promise<boolean> => {
    const { body } = await gateway.rpc({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const tool = body.result.tools.find(({ name }: { name: string }) => name === TOOL);
    return tool.description.includes(`Needs the secret ${NAME}`);
  };

  test('the note leaves the tool list when a key is set, and returns when it is removed', async () => {
    const page = await open();
    expect(await hasNote()).toBe(true);
    await rowOf(page, NAME).click();
    await keyField(page).fill(VALUE);
    await page.getByRole('button', { name: 'Test before saving' }).click();
    await page.getByText('The provider accepted it. Save it now.').waitFor();
    expect(await hasNote()).toBe(true);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText(`${NAME} is set`).waitFor();
    expect(await hasNote()).toBe(false);
    await expect.poll(() => rowOf(page, NAME).innerText()).toMatch(/\bWorks$/);
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
    const page = await open(`#${PORTAL}`);
    const [tool = ''] = (await operator.ask('GET /provider-keys')).body.keys.find(
      ({ name }: { name: string }) => name === PORTAL,
    ).testTools;
    const result = page.getByRole('alert');
    await keyField(page).fill('expired');
    await page.getByRole('button', { name: 'Test before saving' }).click();
    await expect.poll(() => result.innerText()).toContain('The approval has expired');
    expect(await result.innerText()).toContain('result code 31');

    await keyField(page).fill(VALUE);
    await gateway.fault(tool, 'status:403', 20);
    await page.getByRole('button', { name: 'Test before saving' }).click();
    await expect
      .poll(() => result.innerText())
      .toContain('The key is valid, but this dataset has not been applied for');
    const link = result.getByRole('link', { name: /^Apply for / });
    expect(await link.getAttribute('href')).toMatch(/^https:\/\/www\.data\.go\.kr\/data\/\d+/);
    expect(complaints).toEqual([]);
  });

  test('a test of the key in use changes its state at once, for operators and tenants, with one advice', async () => {
    await operator.ask(`POST /provider-keys/${PORTAL}`, { value: VALUE });
    const { testTools, datasets } = (await operator.ask('GET /provider-keys')).body.keys.find(
      ({ name }: { name: string }) => name === PORTAL,
    );
    const [tool = ''] = testTools;
    const refused = datasets.find(({ tools }: { tools: string[] }) => tools.includes(tool));
    const page = await open(`#${PORTAL}`);
    await expect.poll(() => rowOf(page, PORTAL).innerText()).toContain('Not tested yet');
    const test = page.getByRole('button', { name: 'Test the key in use' });
    await test.click();
    await expect.poll(() => rowOf(page, PORTAL).innerText()).toMatch(/\bWorks$/);
    await gateway.fault(tool, 'status:403', 20);
    await test.click();
    const words = `1 of ${datasets.length} datasets not approved`;
    await expect.poll(() => rowOf(page, PORTAL).innerText()).toContain(words);
    const panel = page.getByRole('region').filter({ has: page.getByRole('textbox') });
    expect(await panel.getByText('with the account of the key').count()).toBe(1);
    const advice = panel.getByRole('group', { name: words });
    expect(await advice.innerText()).toContain('The provider says HTTP 403');
    expect(await advice.getByRole('link').getAttribute('href')).toBe(refused.applyUrl);
    const first = page.getByRole('list', { name: 'Datasets' }).getByRole('listitem').first();
    expect(await first.innerText()).toContain('Not approved');
    expect(await seriousFaults(page, 'main')).toEqual([]);

    const tenants = await open(`#${PORTAL}`, { locale: 'ko' }, 'own-keys');
    const korean = `데이터셋 ${datasets.length}개 중 1개 승인 필요`;
    await expect.poll(() => rowOf(tenants, PORTAL).innerText()).toContain(korean);
    await tenants.getByText('운영자에게 공용 인증키를').waitFor();
    const titles = tenants.getByRole('list', { name: '데이터셋' }).getByRole('listitem');
    for (const text of await titles.allInnerTexts())
      expect(text.split('\n')[0]).toMatch(/\p{Script=Hangul}/u);
    expect(complaints).toEqual([]);
  });

  test('what is left of a quota is shown, until when, and who used it', async () => {
    await operator.ask('POST /provider-keys/LIMITED_KEY', { value: VALUE });
    gateway.upstream.answer((_request, response) => void response.end('{"row":1}'));
    const other = await gateway.createKey('weather');
    for (let n = 0; n < 8; n++)
      await gateway.call('limited_row', { n }, n < 6 ? other.key : undefined);
    const isCounted = async (): Promise<boolean> => {
      const { keys } = (await operator.ask('GET /provider-keys')).body;
      const key = keys.find(({ name }: { name: string }) => name === 'LIMITED_KEY');
      return key.datasets[0].quota?.used === 8;
    };
    await expect.poll(isCounted).toBe(true);
    const page = await open('#LIMITED_KEY');
    await expect
      .poll(() => page.getByRole('main').innerText())
      .toMatch(/\d+ of 20 requests left · resets in \d+ \w+\s+Used by weather 6, default 2/);
    const bar = page.getByRole('progressbar', { name: 'Requests used today for Limited' });
    expect(await bar.getAttribute('aria-valuenow')).toBe('40');
    expect(await seriousFaults(page, 'main')).toEqual([]);
    const tenant = await open(
      '',
      { locale: 'ko', viewport: { width: 390, height: 844 } },
      'own-keys',
    );
    await rowOf(tenant, 'LIMITED_KEY').click();
    await tenant.getByText('이 테넌트의 몫 10건, 사용 2건').waitFor();
    expect(complaints).toEqual([]);
  });

  test('a tenant brings its own key, and the operator stops sharing', async () => {
    const page = await open('', {}, 'own-keys');
    const value = 'recognisable-own-key';
    const row = rowOf(page, NAME);
    expect(await row.innerText()).toContain('Not set');
    await row.click();
    await page.getByRole('textbox', { name: 'Your key' }).fill(value);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText(`${NAME} is set`).waitFor();
    await expect.poll(() => row.innerText()).toMatch(/Your key\s+Not tested yet$/);
    expect(await hasNote()).toBe(false);
    expect(await page.content()).not.toContain(value);
    expect(await seriousFaults(page, 'main')).toEqual([]);
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await expect.poll(() => row.innerText()).toContain('Not set');

    const operators = await open(`#${NAME}`);
    const policy = operators.getByRole('switch', { name: 'Tenants that have no key of their own' });
    expect(await policy.isChecked()).toBe(true);
    await policy.click();
    await expect
      .poll(
        async () => (await operator.ask('GET /tenants/default/provider-keys')).body.providerKeys,
      )
      .toContainEqual(expect.objectContaining({ name: NAME, policy: 'own' }));
    expect(complaints).toEqual([]);
  });

  test('an admin reads where an API would send the own key, and allows it', async () => {
    await operator.ask(`PUT /tenants/default/provider-keys/${NAME}`, { value: VALUE });
    const page = await open('', {}, 'own-keys');
    await rowOf(page, NAME).click();
    await page.getByRole('textbox', { name: 'Another origin' }).fill('https://api.example.com/v1');
    await page.getByRole('button', { name: 'Allow' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.innerText()).toContain(`send ${NAME} to https://api.example.com.`);
    await dialog.getByRole('button', { name: 'Allow' }).click();
    const isAllowed = async () =>
      (await operator.ask('GET /tenants/default/provider-keys')).body.providerKeys.some(
        ({ origins }: { origins: string[] }) => origins.join() === 'https://api.example.com',
      );
    await expect.poll(isAllowed).toBe(true);
    expect(await seriousFaults(page, 'main')).toEqual([]);
    await page.getByRole('button', { name: 'Withdraw' }).click();
    await expect.poll(isAllowed).toBe(false);
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await expect.poll(isAllowed).toBe(true);
    expect(complaints).toEqual([]);
  });

  test('a key that was typed outlives the closing of its row, and leaving the page asks first', async () => {
    const page = await open();
    await rowOf(page, NAME).click();
    await keyField(page).fill(VALUE);
    await rowOf(page, PORTAL).click();
    await rowOf(page, NAME).click();
    await expect.poll(() => keyField(page).inputValue()).toBe(VALUE);
    const navigation = page.getByRole('navigation');
    await navigation.getByRole('link', { name: 'Tenants' }).click();
    const question = page.getByRole('dialog');
    await question.getByRole('button', { name: 'Keep editing' }).click();
    await question.waitFor({ state: 'hidden' });
    expect(await keyField(page).inputValue()).toBe(VALUE);
    await navigation.getByRole('link', { name: 'Tenants' }).click();
    await question.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('heading', { level: 1, name: 'Tenants' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('works with the keyboard alone', async () => {
    const page = await open();
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
    const page = await open();
    await page.route('**/admin/api/provider-keys?*', async (route) => {
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
    await page.getByText('which takes precedence over a stored key').waitFor();
    await keyField(page).fill(VALUE);
    expect(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled()).toBe(true);
  });

  test.each<[string, BrowserContextOptions]>([
    ['in the light', { colorScheme: 'light' }],
    ['in the dark', { colorScheme: 'dark' }],
    ['in Korean, on a narrow screen', { locale: 'ko-KR', viewport: { width: 390, height: 844 } }],
  ])('has no serious fault of accessibility %s', async (_, options) => {
    const page = await open(`#${PORTAL}`, options);
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
