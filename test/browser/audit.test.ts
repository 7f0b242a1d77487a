import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ADMIN, ADMIN_ENV } from '../support/admin-client.ts';
import { chromiumAvailable } from '../support/chromium.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { useBrowser } from './use-browser.ts';

const HIGHEST_ROW = `Math.max(
  ...[...document.querySelectorAll('tbody tr')].map((row) => row.getBoundingClientRect().height),
)`;

describe.runIf(chromiumAvailable)('the audit log in a browser', () => {
  let gateway: TestGateway;
  afterAll(() => gateway.close());
  const browser = useBrowser({ sharesPages: true });
  let page: Page;
  let maskedId: string;
  const complaints: string[] = [];

  beforeAll(async () => {
    gateway = await startTestGateway({ env: ADMIN_ENV });
    for (const base of ['USD', 7, 'EUR']) await gateway.call('frankfurter_rates', { base });
    const masked = await gateway.call('fixture_secret', { part: 'someone@example.com' });
    maskedId = masked.body.result.auditId;
    page = await browser().newPage({ viewport: { width: 1280, height: 900 } });
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(`${gateway.url}/admin/sign-in?back=${encodeURIComponent('/admin/audit')}`);
    await page.getByLabel('Email').fill(ADMIN.email);
    await page.getByRole('textbox', { name: 'Password' }).fill(ADMIN.password);
    await page.locator('button[type=submit]').click();
    await page.getByRole('heading', { name: 'Audit log' }).waitFor();
  });

  const open = async (search = '') => {
    await page.goto(`${gateway.url}/admin/audit${search}`);
    await page.getByRole('table', { name: 'Audit log' }).waitFor();
  };
  const rows = () => page.getByRole('table', { name: 'Audit log' }).locator('tbody tr');
  const choose = async (label: string, option: string) => {
    await page.getByRole('combobox', { name: label, exact: true }).click();
    await page.getByRole('option', { name: option, exact: true }).click();
  };

  test('shows the records, and how many calls there were', async () => {
    await open();
    await expect.poll(() => rows().count()).toBe(4);
    // Statistics follow the records.
    await page.locator('canvas').waitFor();
    await expect
      .poll(async () => {
        await page.getByRole('button', { name: 'Reload', exact: true }).click();
        return page.getByText('4 calls').count();
      })
      .toBe(1);
    expect(await page.locator('canvas').count()).toBe(1);
  });

  test('leads to the requests that were refused before they were calls', async () => {
    await page.getByRole('link', { name: 'on the overview' }).click();
    const refused = page.getByRole('region', { name: 'Refused requests' });
    await refused.waitFor();
    const bottom = async () => {
      const box = await refused.boundingBox();
      return box ? box.y + box.height : Number.POSITIVE_INFINITY;
    };
    await expect.poll(bottom, { timeout: 10_000 }).toBeLessThanOrEqual(900);
  });

  test.each([
    [1440, 45],
    [390, 66],
  ])('shows a call in as few lines as %i px allow', async (width, most) => {
    await page.setViewportSize({ width, height: 900 });
    await open();
    await expect.poll(() => rows().count()).toBe(4);
    await expect.poll(() => page.evaluate<number>(HIGHEST_ROW)).toBeLessThanOrEqual(most);
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  test('keeps its filters in the address', async () => {
    await open();
    await choose('Outcome', 'Failed');
    await expect.poll(() => rows().count()).toBe(1);
    expect(new URL(page.url()).searchParams.get('origin')).toBe('failed');
    expect(await rows().first().innerText()).toMatch(/Caller\s+Invalid arguments/);
    await page.reload();
    await expect.poll(() => rows().count()).toBe(1);
    await choose('Cause', 'Invalid arguments');
    await page.waitForURL(/cause=arguments/);
    expect(await rows().count()).toBe(1);
    await choose('Outcome', 'Provider key');
    await page.getByText('No call matches these filters').waitFor();
    // The chosen cause does not belong to the key.
    expect(page.url()).not.toContain('cause=');
    await page.getByRole('combobox', { name: 'Cause', exact: true }).click();
    expect(await page.getByRole('option').allInnerTexts()).toEqual([
      'Key refused',
      'Not approved for the dataset',
      'Quota used up',
    ]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expect.poll(() => rows().count()).toBe(4);
  });

  test('has the outcome of a link that it does not offer', async () => {
    await open('?status=error&error=invalid_arguments');
    await expect.poll(() => rows().count()).toBe(1);
    const outcome = page.getByRole('combobox', { name: 'Outcome', exact: true });
    expect(await outcome.inputValue()).toBe('No response from the API');
    const code = page.getByRole('combobox', { name: 'Error code', exact: true });
    expect(await code.inputValue()).toBe('invalid_arguments');
  });

  test('finds the calls of one upstream', async () => {
    await open();
    await page.getByRole('button', { name: 'More filters' }).click();
    const { host } = new URL(gateway.upstream.url);
    await choose('API', host);
    await expect.poll(() => rows().count()).toBe(1);
    expect(await rows().first().innerText()).toContain('fixture_secret');
    expect(new URL(page.url()).searchParams.get('upstream')).toBe(host);
    await page.getByRole('button', { name: 'The same query outside the dashboard' }).click();
    await page.getByText(`--upstream ${host}`).waitFor();
    await page.getByText(`--data-urlencode upstream=${host}`).waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await open(`?upstream=${host}`);
    // Charts take their width after the page.
    await expect
      .poll(() =>
        page.locator('html').evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth),
      )
      .toBe(0);
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  test('narrows the time by dragging across the chart', async () => {
    await open('?last=1h');
    const plot = page.locator('.u-over');
    await plot.waitFor();
    const box = await plot.boundingBox();
    if (!box) throw new Error('The chart is not visible.');
    await page.mouse.move(box.x + 20, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 3, box.y + 20, { steps: 5 });
    await page.mouse.up();
    await page.getByText('No calls in this period').waitFor();
    const { searchParams } = new URL(page.url());
    expect(Date.parse(searchParams.get('from') ?? '')).toBeLessThan(
      Date.parse(searchParams.get('to') ?? ''),
    );
  });

  test('offers the same query as a command line and as a request', async () => {
    await open('?tool=frankfurter_rates&last=all');
    await page.getByRole('button', { name: 'The same query outside the dashboard' }).click();
    await page
      .getByText('tool-gateway audit list --tenant default --tool frankfurter_rates')
      .waitFor();
    await page.getByText('--data-urlencode tool=frankfurter_rates').waitFor();
  });

  test('exports what the filters find', async () => {
    await open('?tool=frankfurter_rates&status=ok');
    const downloading = page.waitForEvent('download');
    await page.getByRole('link', { name: 'CSV' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toMatch(/^audit-default-.*\.csv$/);
    const text = await readFile(await download.path(), 'utf8');
    expect(text.trim().split('\r\n')).toHaveLength(3);
  });

  test('opens a record by the keyboard, at an address of its own, and runs it again', async () => {
    await open('?tool=frankfurter_rates&status=ok');
    await rows().first().getByRole('link').focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Audit record' });
    await dialog.waitFor();
    const auditId = new URL(page.url()).searchParams.get('record') ?? '';
    expect(auditId).toMatch(/^aud_/);
    await dialog.getByText(auditId).first().waitFor();
    await dialog.getByRole('button', { name: 'Run again' }).click();
    const comparison = dialog.getByRole('table', { name: 'The call then and now' });
    await comparison.waitFor();
    expect(await comparison.getByText('OK', { exact: true }).count()).toBe(2);
    await dialog.getByRole('button', { name: 'Open the new record' }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('record')).not.toBe(auditId);
    await page.keyboard.press('Escape');
    await expect.poll(() => new URL(page.url()).searchParams.get('record')).toBeNull();
  });

  test('asks for arguments that were masked', async () => {
    await open(`?record=${maskedId}`);
    const dialog = page.getByRole('dialog', { name: 'Audit record' });
    const run = dialog.getByRole('button', { name: 'Run again' });
    await run.waitFor();
    expect(await run.isDisabled()).toBe(true);
    await dialog.getByRole('textbox', { name: 'part' }).fill('a');
    await run.click();
    await dialog.getByRole('table', { name: 'The call then and now' }).waitFor();
  });

  test('says that a record was deleted', async () => {
    await page.goto(`${gateway.url}/admin/audit?record=aud_01KAF000000000000000000000`);
    await page.getByText('This record does not exist').waitFor();
  });

  test('renders hostile text as text', async () => {
    const name = '<img src=x onerror="window.hacked=1">';
    await gateway.fetch('/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': name },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'frankfurter_rates', arguments: { base: '<b>x</b>' } },
      }),
    });
    await open('?client=onerror');
    await rows().first().getByText(name).waitFor();
    await rows().first().getByRole('link').click();
    await page
      .getByRole('dialog', { name: 'Audit record' })
      .getByText('<b>x</b>')
      .first()
      .waitFor();
    expect(await page.evaluate('window.hacked')).toBeUndefined();
  });

  test('shows calls live, pauses, and opens their records', async () => {
    await page.goto(`${gateway.url}/admin/live`);
    await page.getByText('Connected').waitFor();
    const live = page
      .getByRole('table', { name: 'Calls' })
      .locator('tbody tr')
      .filter({ has: page.getByRole('link') });
    // It opens with the calls of the tests above.
    await expect.poll(() => live.count()).toBeGreaterThan(4);
    const earlier = await live.count();
    await gateway.call('frankfurter_rates', { base: 'GBP' });
    await expect.poll(() => live.count()).toBe(earlier + 1);
    await page.getByRole('button', { name: 'Pause' }).click();
    await gateway.call('frankfurter_rates', { base: 8 });
    await page.getByText('1 call has ended meanwhile').waitFor();
    expect(await live.count()).toBe(earlier + 1);
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Clear' }).click();
    await gateway.call('frankfurter_rates', { base: 9 });
    await gateway.call('frankfurter_rates', { base: 'GBP' });
    await expect.poll(() => live.count()).toBe(2);
    await choose('Outcome', 'Caller');
    await expect.poll(() => live.count()).toBe(1);
    await live.first().getByRole('link').click();
    await page.getByRole('dialog', { name: 'Audit record' }).waitFor();
  });

  test('says what repairs a refused key: in the record, and on the page of a tool that fails', async () => {
    gateway.upstream.answer((_request, response) => void response.writeHead(401).end('{}'));
    await gateway.call('fixture_secret', { part: 'refused' });
    await open('?tool=fixture_secret');
    await expect
      .poll(() => rows().first().innerText())
      .toMatch(/Provider key\s+Key refused \(401\)/);
    await rows().first().getByRole('link').click();
    const dialog = page.getByRole('dialog', { name: 'Audit record' });
    await dialog.getByRole('link', { name: 'Replace the provider key' }).waitFor();
    await expect
      .poll(
        async () => {
          // The tool fails from the next minute on: in this one, a call was successful.
          for (let n = 0; n < 3; n++) await gateway.call('fixture_secret', { part: 'refused' });
          await page.goto(`${gateway.url}/admin/catalogue/fixture_secret`);
          await page.getByRole('heading', { level: 1 }).waitFor();
          await page.waitForLoadState('networkidle');
          return page.getByText('Key refused (401)').count();
        },
        { timeout: 100_000, interval: 2000 },
      )
      .toBe(1);
  });

  test('says in Korean what an error means, before the own words of the gateway', async () => {
    const context = await browser().newContext({ locale: 'ko-KR' });
    await context.addCookies(await page.context().cookies());
    const korean = await context.newPage();
    await korean.goto(`${gateway.url}/admin/audit?status=error`);
    await korean.locator('tbody tr').first().getByRole('link').click();
    const dialog = korean.getByRole('dialog');
    await dialog.getByText('인수가 올바르지 않습니다.').waitFor();
    await dialog.locator('[lang=en]').getByText('base').waitFor();
    await context.close();
  });

  test('keeps the number of the page in its address', async () => {
    for (let n = 0; n < 110; n++) await gateway.call('frankfurter_rates', { base: 'JPY' });
    await open('?tool=frankfurter_rates');
    const turn = (name: string) => page.getByRole('button', { name, exact: true }).click();
    await turn('Next page');
    await page.getByText('Page 2', { exact: true }).waitFor();
    await turn('Next page');
    await page.getByText('Page 3', { exact: true }).waitFor();
    const first = () => rows().first().innerText();
    await page.waitForLoadState('networkidle');
    const third = await first();
    expect(new URL(page.url()).searchParams.get('page')).toBe('3');
    await page.reload();
    await page.getByText('Page 3', { exact: true }).waitFor();
    await expect.poll(first).toBe(third);
    await rows().first().getByRole('link').click();
    await page.getByRole('dialog', { name: 'Audit record' }).waitFor();
    expect(new URL(page.url()).searchParams.get('page')).toBe('3');
    await page.goBack();
    await turn('Previous page');
    await page.getByText('Page 2', { exact: true }).waitFor();
    await page.goBack();
    await page.getByText('Page 3', { exact: true }).waitFor();
    await expect.poll(first).toBe(third);
    await choose('Outcome', 'OK');
    await page.getByText('Page 1', { exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get('cursor')).toBeNull();
  });

  test('runs without an error', () => {
    expect(complaints).toEqual([]);
  });
});
