import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  ADMIN,
  ADMIN_ENV,
  type AdminClient,
  inviteAndJoin,
  signIn,
} from '../support/admin-client.ts';
import { chromiumAvailable } from '../support/chromium.ts';
import { signInOn } from '../support/consent-page.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { useBrowser } from './use-browser.ts';

describe.runIf(chromiumAvailable)('people in a browser', () => {
  let gateway: TestGateway;
  let operator: AdminClient;
  const complaints: string[] = [];
  afterEach(() => expect(complaints.splice(0)).toEqual([]));
  const browser = useBrowser();

  beforeAll(async () => {
    gateway = await startTestGateway({ env: ADMIN_ENV });
    operator = await signIn(gateway);
  });
  afterAll(() => gateway?.close());

  /** A page of a person's own browser. */
  const openPage = async (path: string, options: BrowserContextOptions = {}): Promise<Page> => {
    const page = await (await browser().newContext({ locale: 'en-US', ...options })).newPage();
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (line) => {
      // A refusal is no fault of the page.
      const isRefusal = /status of 4\d\d/.test(line.text());
      if (['error', 'warning'].includes(line.type()) && !isRefusal) complaints.push(line.text());
    });
    await page.goto(path.startsWith('http') ? path : `${gateway.url}${path}`);
    return page;
  };
  const heading = (page: Page, name: string | RegExp) =>
    page.getByRole('heading', { name, level: 1 }).waitFor();

  test('someone is invited, joins, and as a viewer sees but cannot change', async () => {
    const admin = await openPage('/admin/settings/members');
    await signInOn(admin);
    await heading(admin, 'Members');
    await admin.getByRole('button', { name: 'Invite a person' }).click();
    const dialog = admin.getByRole('dialog');
    await dialog.getByLabel('Email').fill('viewer@example.com');
    await dialog.getByRole('button', { name: 'Create the link' }).click();
    const link = await dialog.getByTestId('secret').innerText();
    await admin.keyboard.press('Escape');
    await dialog.getByText('You have not copied it yet.').waitFor();
    await dialog.getByRole('button', { name: 'I have saved it' }).click();
    await admin.getByRole('cell', { name: 'viewer@example.com', exact: true }).waitFor();

    const viewer = await openPage(link);
    await heading(viewer, 'Join default');
    await viewer.getByLabel('Your name').fill('<img src=x onerror=alert(1)>');
    await viewer.getByLabel('Password', { exact: true }).fill('short');
    await viewer.getByRole('button', { name: 'Join' }).click();
    expect(await viewer.getByLabel('Password', { exact: true }).evaluate(isInvalid)).toBe(true);
    await viewer.getByLabel('Password', { exact: true }).fill('a long enough password');
    await viewer.getByRole('button', { name: 'Join' }).click();
    await viewer.getByRole('button', { name: /Account of/ }).waitFor();

    await viewer.goto(`${gateway.url}/admin/settings/members`);
    await viewer.getByText('boss@example.com').waitFor();
    await viewer.getByText('<img src=x onerror=alert(1)>').waitFor();
    expect(await viewer.getByRole('button', { name: /Invite|Remove/ }).count()).toBe(0);
    expect(await viewer.getByRole('combobox').count()).toBe(0);
    await viewer.goto(`${gateway.url}/admin/settings/trail`);
    await viewer.getByText('Only admins of the tenant can open this page').waitFor();
    await viewer.goto(link);
    await heading(viewer, 'This invitation cannot be used');
    await operator.ask('POST /tenants', { slug: 'second', name: 'Second' });
    const again = { email: 'viewer@example.com', role: 'viewer' };
    const invited = await operator.ask('POST /tenants/second/invitations', again);
    const member = await openPage(invited.body.link);
    const password = member.getByLabel('Password', { exact: true });
    await password.fill('a password of another');
    await member.getByRole('button', { name: 'Join' }).click();
    await member.getByText('viewer@example.com has an account with another password.').waitFor();

    await admin.reload();
    const changed = admin.waitForResponse((response) => response.request().method() === 'PATCH');
    await admin.getByLabel('Role of <img src=x onerror=alert(1)>').selectOption('admin');
    await changed;
    await viewer.goto(`${gateway.url}/admin/settings/members`);
    await viewer.getByRole('button', { name: 'Invite a person' }).waitFor();
    await admin.getByRole('button', { name: 'Remove <img src=x onerror=alert(1)>' }).click();
    await admin.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await admin.getByRole('dialog').waitFor({ state: 'hidden' });
    await viewer.goto(`${gateway.url}/admin/settings/members`);
    await heading(viewer, 'Sign in');
  });

  test('a changed role and a withdrawn invitation are set back, which the trail has, too', async () => {
    const email = 'undone@example.com';
    await inviteAndJoin(gateway, operator, { tenant: 'default', email, role: 'viewer' });
    const pending = { email: 'pending@example.com', role: 'viewer' };
    const { link } = (await operator.ask('POST /tenants/default/invitations', pending)).body;
    const page = await openPage('/admin/settings/members');
    await signInOn(page);
    const role = page.getByLabel(`Role of ${email}`);
    await role.selectOption('admin');
    const undo = page.getByRole('button', { name: 'Undo', exact: true });
    const toast = page.getByRole('alert').filter({ has: undo });
    await toast.getByText(`The role of ${email} is now Admin.`).waitFor();
    await expect.poll(() => role.inputValue()).toBe('admin');
    await undo.click();
    await expect.poll(() => role.inputValue()).toBe('viewer');

    const row = page.getByRole('cell', { name: 'pending@example.com', exact: true });
    await page.getByRole('button', { name: 'Withdraw the invitation of pending@' }).click();
    await row.waitFor({ state: 'detached' });
    const invited = await openPage(link);
    await heading(invited, 'This invitation cannot be used');
    await undo.click();
    await row.waitFor();
    await invited.reload();
    await heading(invited, 'Join default');

    const { entries } = (await operator.ask('GET /tenants/default/trail?limit=10')).body;
    const actions = entries.map(({ action, details }: TrailEntry) => [action, details.role]);
    expect(actions.slice(0, 4)).toEqual([
      ['invitation.restored', undefined],
      ['invitation.withdrawn', undefined],
      ['member.changed', 'viewer'],
      ['member.changed', 'admin'],
    ]);
  });

  test('who takes away the own role, or signs a browser out, is asked first', async () => {
    const email = 'stepping-down@example.com';
    const person = await inviteAndJoin(gateway, operator, {
      ...{ tenant: 'default', email, role: 'admin' },
    });
    const page = await openPage('/admin/settings/members');
    await signInOn(page, { email, password: ADMIN.password });
    const role = page.getByLabel(`Role of ${email}`);
    await role.selectOption('viewer');
    const question = page.getByRole('dialog', { name: 'Give up your own role?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(await role.inputValue()).toBe('admin');
    await page.goto(`${gateway.url}/admin/settings/account`);
    await page
      .getByRole('button', { name: /^Sign out (?!everywhere)/ })
      .last()
      .click();
    const dialog = page.getByRole('dialog');
    expect((await person.ask('GET /me')).status).toBe(200);
    await dialog.getByRole('button', { name: 'Sign out', exact: true }).click();
    await expect.poll(async () => (await person.ask('GET /me')).status).toBe(401);
    expect(await page.getByRole('button', { name: 'Undo', exact: true }).count()).toBe(0);
  });

  test('a wrong password is refused in words, and the right one leads back', async () => {
    const page = await openPage('/admin/settings/account?tenant=default');
    await signInOn(page, { ...ADMIN, password: 'wrong' });
    await page
      .getByRole('alert')
      .getByText('The email address or the password is wrong.')
      .waitFor();
    await signInOn(page);
    await heading(page, 'Account');
    expect(page.url()).toBe(`${gateway.url}/admin/settings/account?tenant=default`);
  });

  test('signing out everywhere ends the other sessions, which can sign in and continue', async () => {
    const here = await openPage('/admin/settings/account');
    await signInOn(here);
    const elsewhere = await openPage('/admin/settings/members');
    await signInOn(elsewhere);
    await heading(elsewhere, 'Members');
    await here.reload();
    await here.getByRole('button', { name: 'Sign out everywhere else' }).click();
    await here
      .getByRole('dialog')
      .getByRole('button', { name: 'Sign out everywhere else' })
      .click();
    await here.getByRole('dialog').waitFor({ state: 'hidden' });
    // The work of the other browser is interrupted by its next request.
    await elsewhere.getByRole('button', { name: 'Invite a person' }).click();
    const dialog = elsewhere.getByRole('dialog');
    await dialog.getByLabel('Email').fill('late@example.com');
    await dialog.getByRole('button', { name: 'Create the link' }).click();
    await heading(elsewhere, 'Sign in');
    await signInOn(elsewhere);
    await heading(elsewhere, 'Members');
    operator = await signIn(gateway);
  });

  test('the keyboard alone is enough to sign in, and to change a name', async () => {
    const page = await openPage('/admin/settings/account');
    await page.getByLabel('Email').focus();
    await page.keyboard.type(ADMIN.email);
    await page.keyboard.press('Tab');
    await page.keyboard.type(ADMIN.password);
    await page.keyboard.press('Enter');
    await heading(page, 'Account');
    await tabTo(page, 'Name');
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('Keyboard Person');
    await page.keyboard.press('Enter');
    await page.getByText('Saved.').waitFor();
    await page.getByRole('button', { name: 'Account of Keyboard Person' }).waitFor();
  });

  test('an operator creates a tenant, resets a password and reads the trail', async () => {
    const join = (by: AdminClient, email: string, role: 'admin' | 'viewer') =>
      inviteAndJoin(gateway, by, { tenant: 'default', email, role });
    const admin = await join(operator, 'tenant-admin@example.com', 'admin');
    await join(admin, 'forgetful@example.com', 'viewer');
    const page = await openPage('/admin/settings/tenants');
    await signInOn(page);
    await page.getByRole('button', { name: 'Create a tenant' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('Ocean desk');
    await dialog.getByLabel('Short name').fill('ocean');
    await dialog.getByRole('button', { name: 'Create a tenant' }).click();
    await page.getByRole('link', { name: 'Ocean desk' }).waitFor();
    await page.goto(`${gateway.url}/admin/settings/people`);
    const unproved = page.getByRole('row', { name: 'Email not verified' });
    await unproved.getByText('forgetful@example.com').waitFor();
    await page.getByRole('button', { name: 'Actions for forgetful@example.com' }).click();
    await page.getByRole('menuitem', { name: 'Reset the password' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Reset the password' }).click();
    const password = await page.getByTestId('secret').innerText();
    await page.keyboard.press('Escape');
    await page.getByText('You have not copied it yet.').waitFor();
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await unproved.waitFor({ state: 'detached' });
    await signIn(gateway, { email: 'forgetful@example.com', password });
    await page.goto(`${gateway.url}/admin/settings/trail`);
    await page.getByText('Whole gateway').click();
    await page.getByLabel('Action', { exact: true }).selectOption('person.password_reset');
    await page.waitForURL(/[?&]action=person.password_reset/);
    await page.reload();
    const entry = page.getByRole('row', { name: 'forgetful@example.com' });
    await entry.getByText('Password reset').waitFor();
    const downloading = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export CSV' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe('trail.csv');
    expect(await textOf(await download.createReadStream())).toContain('person.password_reset');
  });

  test('the list of tenants shows what they did today, and leads to the overview of each', async () => {
    const { key } = await gateway.createKey('busy');
    await gateway.call('frankfurter_rates', { base: 7 }, key);
    await gateway.call('no_such_tool', {}, key);
    await expect
      .poll(async () => (await operator.ask('GET /statistics/tenants')).body.tenants, {
        timeout: 30_000,
      })
      .toContainEqual({ tenant: 'busy', callsToday: 1, failuresToday: 1, refusedToday: 1 });
    const page = await openPage('/admin/settings/tenants');
    await signInOn(page);
    await page.getByRole('row', { name: /^busy.* 1 1 1 0 1 0/ }).waitFor();
    await page.getByRole('link', { name: 'busy' }).click();
    await page.waitForURL(/overview\?tenant=busy$/);
  });

  test('the page for signing in is in Korean, on a narrow screen in the dark', async () => {
    const page = await openPage('/admin/sign-in', {
      locale: 'ko-KR',
      colorScheme: 'dark',
      viewport: { width: 390, height: 844 },
    });
    await page.getByLabel('이메일').fill(ADMIN.email);
    await page.getByLabel('비밀번호', { exact: true }).fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('이메일 또는 비밀번호가 올바르지 않습니다.').waitFor();
    await page.getByLabel('비밀번호', { exact: true }).fill(ADMIN.password);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /님의 계정/ }).waitFor();
  });
});

interface TrailEntry {
  readonly action: string;
  readonly details: { readonly role?: string };
}

const isInvalid = (input: { checkValidity(): boolean }): boolean => !input.checkValidity();

async function tabTo(page: Page, label: string): Promise<void> {
  const target = page.getByLabel(label, { exact: true });
  await target.waitFor();
  for (let n = 0; n < 60; n++) {
    if ((await target.and(page.locator(':focus')).count()) > 0) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`The keyboard does not reach "${label}".`);
}

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
