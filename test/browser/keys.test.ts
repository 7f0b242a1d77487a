import type { BrowserContextOptions, Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  ADMIN,
  ADMIN_ENV,
  type AdminClient,
  inviteAndJoin,
  joinAsViewer,
  signIn,
} from '../support/admin-client.ts';
import { chromiumAvailable } from '../support/chromium.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { seriousFaults } from '../support/serious-faults.ts';
import { openPage, useBrowser } from './use-browser.ts';

const KEYS = '/tenants/default/keys';
const CONFLICT = 'Another change was faster.';
const RATES = '/api/v1/tools/frankfurter_rates';

describe.runIf(chromiumAvailable)('API keys in a browser', () => {
  const browser = useBrowser();
  let gateway: TestGateway;
  let admin: AdminClient;
  const complaints: string[] = [];

  beforeEach(async () => {
    complaints.length = 0;
    gateway = await startTestGateway({ env: ADMIN_ENV });
    admin = await signIn(gateway);
    return () => gateway.close();
  });

  const open = (query = '', who?: AdminClient, options = {}): Promise<Page> =>
    openPage(browser(), `${gateway.url}/admin/settings/keys${query}`, {
      who,
      complaints,
      ...options,
    });

  async function openKeys(options: BrowserContextOptions = {}, who = admin): Promise<Page> {
    const page = await open('', who, options);
    await page.getByRole('row', { name: /bootstrap/ }).waitFor();
    return page;
  }

  const createKey = async (input: object) =>
    (await admin.ask(`POST ${KEYS}`, input)).body as { key: { id: string }; text: string };
  const statusOf = async (key: string): Promise<number> =>
    (await gateway.json(RATES, { key })).status;
  const rowOf = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(name) });

  async function act(page: Page, name: string, action: string): Promise<void> {
    await page.getByRole('button', { name: `Actions for ${name}` }).click();
    await page.getByRole('menuitem', { name: action }).click();
    await page.getByRole('dialog').waitFor();
  }

  test('the page of a key shows what it may do, its calls and refused requests, its tools, failures and history', async () => {
    const { key, text } = await createKey({ name: 'nightly', dailyLimit: 5000 });
    await gateway.call('frankfurter_rates', {}, text);
    await gateway.call('frankfurter_rates', { base: 7 }, text);
    for (let n = 0; n < 3; n++) await gateway.call('no_such_tool', {}, text);
    const page = await openKeys();
    await page.getByRole('link', { name: 'nightly' }).click();
    await page.waitForURL(`**/admin/settings/keys/${key.id}`);
    const facts = page.getByRole('region', { name: 'Details' });
    await facts.getByText('5,000 / day').waitFor();
    const failures = page.getByRole('table', { name: 'Recent failures' });
    await failures.getByText('Invalid arguments').waitFor();
    await page.getByRole('table', { name: 'Activity' }).getByText(ADMIN.email).waitFor();
    await expect
      .poll(
        async () => {
          await page.reload();
          const chart = page.getByRole('img', { name: 'Calls by outcome' });
          const none = page.getByText('No calls with this key in this period.');
          await chart.or(none).waitFor();
          return chart.isVisible();
        },
        { timeout: 60_000, interval: 2000 },
      )
      .toBe(true);
    const refused = page.getByRole('table', { name: 'Refused requests' });
    const unknown = refused.getByRole('row', { name: 'Unknown tool' });
    await unknown.getByRole('cell', { name: '3', exact: true }).waitFor();
    await unknown.getByText('Let the client list the tools again').waitFor();
    const tools = page.getByRole('table', { name: 'Tools' });
    await tools.getByRole('row', { name: /frankfurter_rates 2 50%/ }).waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await tools.getByRole('link', { name: 'frankfurter_rates' }).click();
    const callers = page.getByRole('table', { name: 'Callers' });
    await callers.getByRole('link', { name: 'nightly' }).click();
    await page.waitForURL(`**/admin/settings/keys/${key.id}`);
    await page.getByRole('link', { name: 'Show all calls in the audit log' }).click();
    await page.waitForURL(new RegExp(`/admin/audit\\?.*key=${key.id}`));
    await page.goto(`${gateway.url}/admin/settings/keys`);
    await rowOf(page, 'nightly').getByText('3 refused').waitFor();
    await page.goto(`${gateway.url}/admin/settings/keys/key_unknown`);
    await page.getByText('API key not found').waitFor();
    expect(complaints).toEqual([]);
  });

  test('sorts the keys, and revokes those that are chosen, except one that fails', async () => {
    const beta = await createKey({ name: 'beta' });
    for (const name of ['alpha', 'gamma']) await createKey({ name });
    const page = await openKeys();
    const names = () => page.getByRole('row').getByRole('link').allTextContents();
    expect(await names()).toEqual(['gamma', 'alpha', 'beta', 'bootstrap']);
    await page.getByLabel('Sort by').selectOption('name');
    await page.waitForURL(/order=name/);
    await expect.poll(names).toEqual(['alpha', 'beta', 'bootstrap', 'gamma']);
    for (const name of ['alpha', 'beta']) await page.getByLabel(`Select ${name}`).check();
    await page.getByText('2 keys selected').waitFor();
    await page.route(`**/admin/api/tenants/default/keys/${beta.key.id}`, (route) =>
      route.fulfill({
        status: 409,
        headers: { 'x-error-code': 'conflict' },
        json: { message: CONFLICT },
      }),
    );
    await page.getByRole('button', { name: 'Revoke 2 keys' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').fill('2');
    await dialog.getByRole('button', { name: 'Revoke', exact: true }).click();
    await dialog.getByText('1 key was not revoked').waitFor();
    await dialog.getByText(CONFLICT).waitFor();
    const { body } = await admin.ask(`GET ${KEYS}?state=revoked`);
    expect(body.keys.map(({ name }: { name: string }) => name)).toEqual(['alpha']);
    expect(complaints).toEqual([]);
  });

  test('sign in, create a key, call with it, see the call, revoke it', async () => {
    const page = await open();
    await page.getByLabel('Email').fill(ADMIN.email);
    await page.getByRole('textbox', { name: 'Password' }).fill(ADMIN.password);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('nightly');
    await dialog.getByText('Selected tools').click();
    await dialog.getByText('The key can use 0 tools').waitFor();
    await dialog.getByText(/^Economy \(/).click();
    await dialog.getByText(/The key can use \d\d tools: /).waitFor();
    await dialog.getByLabel('Requests per day').fill('100');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    const key = await page.getByTestId('secret').innerText();
    expect(key).toMatch(/^tg_live_[0-9A-Za-z]{43}$/);
    expect(await dialog.locator('pre').innerText()).toContain(`x-api-key: ${key}`);
    await dialog.getByRole('tab', { name: 'Cursor' }).click();
    expect(await dialog.locator('pre').innerText()).toContain(key);
    await dialog.getByRole('tab', { name: 'More' }).click();
    await dialog.getByLabel('Client').selectOption('langchain');
    expect(await dialog.locator('pre').innerText()).toContain(key);
    await dialog.getByRole('button', { name: 'I have saved it' }).click();

    expect(
      (await gateway.call('frankfurter_rates', { base: 'USD' }, key)).body.result,
    ).toBeDefined();
    const calls = async (): Promise<string> => {
      await page.reload();
      await rowOf(page, 'nightly').waitFor();
      return rowOf(page, 'nightly').innerText();
    };
    const usedOnce =
      /Administrator\s+Economy\s+100 \/ day\s+(now|\d+ (second|minute)s? ago)\s+1\s+in \d months/;
    await expect.poll(calls, { interval: 1000 }).toMatch(usedOnce);
    expect(await page.content()).not.toContain(key);

    await act(page, 'nightly', 'Revoke');
    const revoke = dialog.getByRole('button', { name: 'Revoke' });
    expect(await revoke.isDisabled()).toBe(true);
    await dialog.getByRole('textbox').fill('nightly');
    await revoke.click();
    await rowOf(page, 'nightly').getByText('Revoked').waitFor();
    await expect.poll(() => statusOf(key)).toBe(401);
    expect(complaints).toEqual([]);
  });

  test('a new key stays on the screen until it is copied, or the person says that it is saved', async () => {
    const page = await openKeys({ permissions: ['clipboard-write'] });
    await page.getByRole('link', { name: 'bootstrap' }).click();
    await page.getByRole('heading', { name: 'bootstrap', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'API keys' }).first().click();
    const create = async (name: string) => {
      await page.getByRole('button', { name: 'Create key' }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill(name);
      await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
      await page.getByTestId('secret').waitFor();
    };
    const dialog = page.getByRole('dialog');
    const refusal = dialog.getByRole('alert').getByText('You have not copied it yet.');
    await create('kept');
    const key = await page.getByTestId('secret').innerText();
    for (const leave of [
      () => page.keyboard.press('Escape'),
      () => page.mouse.click(5, 300),
      () => dialog.getByRole('button', { name: 'Close' }).click(),
      () => page.evaluate('history.back()'),
    ]) {
      await leave();
      await refusal.waitFor();
      expect(await page.getByTestId('secret').innerText()).toBe(key);
    }
    expect(new URL(page.url()).pathname).toBe('/admin/settings/keys');
    await dialog.getByRole('button', { name: 'Copy key' }).click();
    await refusal.waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });

    await create('in a snippet');
    await dialog.getByRole('button', { name: 'Copy curl' }).click();
    await dialog.getByRole('button', { name: 'Copied' }).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  test('both keys work during the overlap after one has replaced the other', async () => {
    const { text } = await createKey({ name: 'ci' });
    const page = await openKeys();
    await act(page, 'ci', 'Replace with a new key');
    await page.getByRole('dialog').getByLabel('The old key works for').selectOption('1');
    await page.getByRole('button', { name: 'Create the new key' }).click();
    const next = await page.getByTestId('secret').innerText();
    await page.keyboard.press('Escape');
    await page.getByText('You have not copied it yet.').waitFor();
    await page.getByText(/The old key works until/).waitFor();
    expect([await statusOf(text), await statusOf(next)]).toEqual([200, 200]);
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByText('Being replaced').waitFor();
    expect(complaints).toEqual([]);
  });

  test('a key gets the scope that the person may give', async () => {
    const page = await openKeys();
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('night report');
    expect(await dialog.getByLabel('Permissions').inputValue()).toBe('none');
    await dialog.getByLabel('Permissions').selectOption('operator');
    expect(await dialog.getByText('Selected tools').count()).toBe(0);
    await dialog.getByRole('button', { name: 'Create key' }).click();
    const key = await page.getByTestId('secret').innerText();
    expect((await gateway.json('/api/v1/admin/tenants', { key })).status).toBe(200);

    const member = { tenant: 'default', email: 'admin@example.com', role: 'admin' } as const;
    const other = await openKeys({}, await inviteAndJoin(gateway, admin, member));
    await other.getByRole('button', { name: 'Create key' }).click();
    const field = other.getByRole('dialog').getByLabel('Permissions');
    await field.waitFor();
    expect(await field.locator('option').allInnerTexts()).toEqual([
      'Run tools only',
      'Manage this tenant',
    ]);
    expect(complaints).toEqual([]);
  });

  test('a key in search mode lists the tools that search, until it is changed', async () => {
    const page = await openKeys();
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('small model');
    await dialog.getByRole('switch', { name: 'Search mode' }).check();
    await dialog.getByRole('button', { name: 'Create key' }).click();
    const key = await page.getByTestId('secret').innerText();
    await dialog.getByRole('button', { name: 'I have saved it' }).click();
    await rowOf(page, 'small model').getByText('Search mode').waitFor();
    const listed = async (): Promise<number> =>
      (await gateway.rpc({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, key)).body.result.tools
        .length;
    expect(await listed()).toBe(4);

    await act(page, 'small model', 'Change');
    const mode = dialog.getByRole('switch', { name: 'Search mode' });
    expect(await mode.isChecked()).toBe(true);
    await mode.uncheck();
    await page.getByRole('button', { name: 'Save' }).click();
    await rowOf(page, 'small model').getByText('Search mode').waitFor({ state: 'detached' });
    await expect.poll(listed).toBeGreaterThan(50);
    expect(complaints).toEqual([]);
  });

  test('a viewer sees the keys and changes nothing', async () => {
    const viewer = await joinAsViewer(gateway, admin);
    const page = await openKeys({}, viewer);
    expect(await page.getByRole('button', { name: /Create|Actions/ }).count()).toBe(0);
    const refused = await viewer.ask(`POST ${KEYS}`, { name: 'mine' });
    expect(refused.status).toBe(403);
  });

  test('the second of two people who change a key is told, and sees what the first did', async () => {
    const { key } = await createKey({ name: 'shared' });
    const page = await openKeys();
    await act(page, 'shared', 'Change');
    await admin.ask(`PATCH ${KEYS}/${key.id}`, { revision: 1, name: 'renamed' });
    await page.getByRole('textbox', { name: 'Name' }).fill('mine');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('This key has changed in the meantime').waitFor();
    await page.getByRole('button', { name: 'Reload' }).click();
    const name = page.getByRole('dialog').getByRole('textbox', { name: 'Name' });
    await expect.poll(() => name.inputValue()).toBe('renamed');
    await name.fill('agreed');
    await page.getByRole('button', { name: 'Save' }).click();
    await rowOf(page, 'agreed').waitFor();
  });

  test('one click shows the keys that are worth a look, and the search finds one', async () => {
    await createKey({
      name: 'careful',
      dailyLimit: 5,
      allowedTools: ['kma_*'],
      expiresAt: new Date(Date.now() + 864e5).toISOString(),
    });
    await createKey({ name: '<img src=x onerror=alert(1)>' });
    const page = await openKeys();
    await page.getByRole('button', { name: /No expiry/ }).click();
    await rowOf(page, 'careful').waitFor({ state: 'detached' });
    expect(page.url()).toContain('concern=no_expiry');
    expect(await rowOf(page, '<img src=x').count()).toBe(1);
    await page.getByRole('button', { name: /No expiry/ }).click();
    await page.getByRole('searchbox').fill('CARE');
    await rowOf(page, 'bootstrap').waitFor({ state: 'detached' });
    await rowOf(page, 'careful').waitFor();
    await page.getByRole('searchbox').fill('nothing like it');
    await page.getByText('No key matches these filters').waitFor();
    expect(complaints).toEqual([]);
  });

  test('a tenant without keys is led to its first one, by keyboard alone', async () => {
    await admin.ask('POST /tenants', { slug: 'fresh', name: 'Fresh' });
    const page = await open('?tenant=fresh', admin);
    const create = page.getByRole('button', { name: 'Create your first key' });
    await create.focus();
    await page.keyboard.press('Enter');
    await expect
      .poll(() => page.locator(':focus').getAttribute('placeholder'))
      .toMatch(/^What the key is for/);
    await page.keyboard.type('first');
    await page.keyboard.press('Enter');
    await page.getByTestId('secret').waitFor();
    await page.keyboard.press('Escape');
    await rowOf(page, 'first').waitFor();
    expect(complaints).toEqual([]);
  });

  test.each([
    ['light', { colorScheme: 'light' }],
    [
      'dark, on a phone, in Korean',
      {
        colorScheme: 'dark',
        locale: 'ko',
        viewport: { width: 390, height: 844 },
      },
    ],
  ] as const)('has no serious fault for assistive technology: %s', async (_, options) => {
    await createKey({ name: 'ci', dailyLimit: 5 });
    const page = await openKeys(options);
    expect(await faults(page, 'main')).toEqual([]);
    const overflow = await page
      .locator('html')
      .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    expect(overflow).toBe(0);
    await page.getByRole('button', { name: /^(Create key|키 만들기)$/ }).click();
    await page.getByText(/^(Selected tools|일부만)$/).click();
    await page.getByText(/^(Weather|날씨) \(/).waitFor();
    expect(await faults(page, '[role=dialog]')).toEqual([]);
  });

  async function faults(page: Page, part: string): Promise<string[]> {
    // What fades in may begin a moment later.
    await page.waitForTimeout(500);
    return seriousFaults(page, part);
  }
});
