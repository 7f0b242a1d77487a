import { setTimeout } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { registerApi } from '../own-apis/register-api.ts';
import { ADMIN_ENV, type AdminClient, inviteAndJoin, signIn } from '../support/admin-client.ts';
import { chromiumAvailable } from '../support/chromium.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { seriousFaults } from '../support/serious-faults.ts';
import { openPage, useBrowser } from './use-browser.ts';

describe.runIf(chromiumAvailable)('the search of the dashboard', () => {
  const browser = useBrowser();
  let gateway: TestGateway;
  let operator: AdminClient;
  let viewer: AdminClient;

  beforeAll(async () => {
    gateway = await startTestGateway({ env: { ...ADMIN_ENV, ALLOW_PRIVATE_UPSTREAMS: 'true' } });
    operator = await signIn(gateway);
    await operator.ask('POST /tenants', { slug: 'acme', name: 'Acme Ltd.' });
    await operator.ask('POST /tenants/default/keys', { name: 'night report' });
    viewer = await inviteAndJoin(gateway, operator, {
      tenant: 'default',
      email: 'vera@example.com',
      role: 'viewer',
    });
    await registerApi(gateway, gateway.key, {
      name: 'Reading list',
      spec_url: `${gateway.sandbox.url}/practice/openapi.yaml`,
    });
    return () => gateway.close();
  });

  const open = (path = '/admin/settings/account', who: AdminClient | undefined = operator) =>
    openPage(browser(), `${gateway.url}${path}`, { who });

  /** Types into the search, and waits for its results. */
  async function search(page: Page, words: string): Promise<void> {
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: /^Search/ });
    await field.fill(words);
    await page
      .getByRole('dialog')
      .getByRole('status')
      .getByText(/result/)
      .waitFor();
  }
  const option = (page: Page, name: string | RegExp) => page.getByRole('option', { name });

  test.each([
    ['night', 'night report', /\/settings\/keys\/key_/, 'night report'],
    ['reading', 'Reading list', /\/admin\/apis\/reg_/, 'Reading list'],
    ['vera@', 'vera@example.com', /\/settings\/people/, 'People'],
    ['register an', 'Register an API', /\/apis\/register/, 'Register an API'],
  ])('finds "%s" and opens it with Enter', async (words, found, address, heading) => {
    const page = await open();
    await search(page, words);
    await option(page, new RegExp(found)).first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(address);
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
  });

  test('puts a tenant in use, on the same page', async () => {
    const page = await open();
    await search(page, 'acme');
    await option(page, /Acme Ltd/).click();
    await page.waitForURL(/account\?tenant=acme/);
  });

  test('leads from a pasted id to the call, the key and the calls of the request', async () => {
    const called = await gateway.call('frankfurter_rates', { base: 7 });
    const { key } = (await operator.ask('POST /tenants/default/keys', { name: 'other' })).body;
    const page = await open();
    const requestId = String(called.headers.get('x-request-id'));
    await search(page, requestId);
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`/admin/audit\\?.*requestId=${requestId}`));
    // Its heading takes the focus.
    await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor();
    await search(page, 'aud_01JCABCDEFGHJKMNPQRSTVWXYZ');
    await page.keyboard.press('Enter');
    await page.waitForURL(/record=aud_01JCABCDEFGHJKMNPQRSTVWXYZ/);
    const record = page.getByRole('dialog', { name: 'Audit record' });
    await record.waitFor();
    await page.keyboard.press('Escape');
    await record.waitFor({ state: 'detached' });
    await search(page, key.id);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'other' }).waitFor();
  });

  test('opens the forms for a key and for an invitation', async () => {
    const page = await open();
    await search(page, 'create an api key');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Create' }).waitFor();
    await page.keyboard.press('Escape');
    await search(page, 'invite a member');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: /Invite/ }).waitFor();
    await page.reload();
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  test('tells a screen reader which result is chosen, and that nothing was found', async () => {
    const page = await open();
    await search(page, 'a');
    const field = page.getByRole('combobox', { name: /^Search/ });
    const chosen = page.getByRole('option', { selected: true });
    const first = await chosen.getAttribute('id');
    expect(await field.getAttribute('aria-activedescendant')).toBe(first);
    await page.keyboard.press('ArrowDown');
    expect(await field.getAttribute('aria-activedescendant')).not.toBe(first);
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => chosen.getAttribute('id')).toBe(first);
    expect(await seriousFaults(page)).toEqual([]);
    await field.fill('zzzz');
    await page.getByRole('status').getByText('No results for "zzzz"').waitFor();
    expect(await field.getAttribute('aria-expanded')).toBe('false');
    expect(await seriousFaults(page)).toEqual([]);
  });

  test('offers a viewer nothing that only others may do', async () => {
    const page = await open('/admin/settings/keys', viewer);
    expect(await page.getByRole('navigation').getByText('Tenants').count()).toBe(0);
    await search(page, 'e');
    await option(page, 'API keys').waitFor();
    for (const name of ['Tenants', 'Provider keys', 'Create an API key', 'Activity']) {
      expect([name, await option(page, name).count()]).toEqual([name, 0]);
    }
  });

  test.each([
    ['/admin/settings/tenants', 'Only operators of the gateway can open this page'],
    ['/admin/settings/provider-keys', 'Only operators of the gateway can open this page'],
    ['/admin/settings/people', 'Only operators of the gateway can open this page'],
    ['/admin/settings/trail', 'Only admins of the tenant can open this page'],
    ['/admin/settings/own-keys', 'Only admins of the tenant can open this page'],
  ])('a viewer who opens %s is told who may', async (path, text) => {
    const page = await open(path, viewer);
    await page.getByText(text).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('signing out reaches the other tabs, whose pages show nothing any more', async () => {
    const person = await inviteAndJoin(gateway, operator, {
      tenant: 'default',
      email: 'two-tabs@example.com',
      role: 'viewer',
    });
    const page = await open('/admin/settings/keys', person);
    const other = await page.context().newPage();
    await other.goto(`${gateway.url}/admin/settings/members`);
    await other.getByText('vera@example.com').first().waitFor();
    // The page for signing in is late: the page before must neither stay nor fail.
    const failures: string[] = [];
    other.on('pageerror', ({ message }) => failures.push(message));
    other.on('console', (line) => void (line.type() === 'error' && failures.push(line.text())));
    await other.route(/sign-in-page/, async (route) => {
      await setTimeout(500);
      await route.continue();
    });
    await search(page, 'sign out');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/admin$/);
    await other.waitForURL(/\/admin\/sign-in\?back=/);
    await other.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    expect(await other.getByText('vera@example.com').count()).toBe(0);
    expect(failures).toEqual([]);
  });
});
