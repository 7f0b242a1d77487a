import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ADMIN_ENV, type AdminClient, signIn } from '../support/admin-client.ts';
import { chromiumAvailable } from '../support/chromium.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { seriousFaults } from '../support/serious-faults.ts';
import { openPage, useBrowser } from './use-browser.ts';

const TRADES = '/admin/catalogue/molit_apt_trades';
const DISTRICTS_OF_SEOUL = 25;

describe.runIf(chromiumAvailable)('ranges, groups and files in the playground', () => {
  const browser = useBrowser();
  let gateway: TestGateway;
  let operator: AdminClient;
  const complaints: string[] = [];

  beforeAll(async () => {
    gateway = await startTestGateway({ env: ADMIN_ENV });
    operator = await signIn(gateway);
  });
  afterAll(() => gateway?.close());
  beforeEach(() => {
    complaints.length = 0;
    return () => expect(complaints).toEqual([]);
  });

  const open = (options: Parameters<typeof openPage>[2] = {}, args: object = {}): Promise<Page> =>
    openPage(
      browser(),
      `${gateway.url}${TRADES}?args=${encodeURIComponent(JSON.stringify(args))}`,
      {
        complaints,
        who: operator,
        ...options,
      },
    );
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const box = (page: Page, name: string) => page.getByRole('combobox', { name, exact: true });
  const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
  const result = (page: Page) => page.getByRole('region', { name: 'Result', exact: true });
  const rowsOf = (page: Page) => result(page).getByRole('table').locator('tbody tr').count();

  /** Enters the median price of each district of Seoul in the first two months of a year. */
  async function enterMedians(page: Page, year: number): Promise<void> {
    await button(page, 'Range of LAWD_CD').click();
    await field(page, 'LAWD_CD').fill('Seoul');
    await button(page, 'Range of DEAL_YMD').click();
    await field(page, 'DEAL_YMD from').fill(`${year}01`);
    await field(page, 'DEAL_YMD to').fill(`${year}02`);
    await button(page, 'Rows').click();
    await button(page, 'Group by: Add').click();
    await box(page, 'Group by 1: column').fill('LAWD_CD');
    await button(page, 'Calculate: Add').click();
    await box(page, 'Calculate 1: column').fill('dealAmount');
    await button(page, 'Sort by: Add').click();
    await box(page, 'Sort by 1: how').selectOption('Descending');
    await box(page, 'Sort by 1: column').fill('median_dealAmount');
    await page.keyboard.press('Escape');
  }

  test('a long range says its cost, then shows a table, a chart, code and a file', async () => {
    const page = await open();
    await enterMedians(page, 2026);
    await button(page, 'Run').click();
    const cost = page.getByLabel('This range takes many requests');
    await expect.poll(() => cost.innerText()).toMatch(/Units\n50\n*Requests\nat least 50/);
    await button(page, 'Run it').click();
    await result(page)
      .getByRole('columnheader', { name: /median_dealAmount/ })
      .waitFor();
    expect(await result(page).getByLabel('Range', { exact: true }).innerText()).toMatch(
      /Complete\nyes\n*Units\n50 of 50/,
    );
    expect(await rowsOf(page)).toBe(DISTRICTS_OF_SEOUL);
    await page.getByText('"DEAL_YMD=202601..202602"').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      button(page, 'CSV').click(),
    ]);
    const [head, ...lines] = (await readFile(await download.path(), 'utf8')).trim().split('\r\n');
    expect(head).toBe('LAWD_CD,median_dealAmount');
    expect(lines).toHaveLength(DISTRICTS_OF_SEOUL);
    await page.getByRole('tab', { name: 'Chart' }).click();
    expect(await rowsOf(page)).toBe(DISTRICTS_OF_SEOUL);
  });

  test('a short range starts at once, and is a chart over its months', async () => {
    const page = await open(
      {},
      {
        LAWD_CD: '11680',
        _over: { DEAL_YMD: { from: '202510', to: '202603' } },
        _calc: ['mean:dealAmount'],
        _group: ['DEAL_YMD'],
      },
    );
    expect(await field(page, 'DEAL_YMD to').inputValue()).toBe('202603');
    await button(page, 'Run').click();
    await page.getByRole('tab', { name: 'Chart' }).click();
    await page.getByRole('img', { name: /over DEAL_YMD/ }).waitFor();
  });

  test('what is wrong with a range stands at its argument', async () => {
    const page = await open();
    await button(page, 'Range of LAWD_CD').click();
    await button(page, 'Run').click();
    await page.getByText('Complete the range.').waitFor();
    await field(page, 'LAWD_CD').fill('Nowhere');
    await button(page, 'Run').click();
    const issue = page.locator('form').getByText(/^Is within "Nowhere"/);
    await issue.waitFor();
    await button(page, 'Range of LAWD_CD').click();
    await issue.waitFor({ state: 'detached' });
  });

  test('a range under way says so, and can be cancelled', async () => {
    await gateway.fault('molit_apt_trades', 'delay:3000', 2);
    const page = await open({}, { LAWD_CD: '11740', _over: ['DEAL_YMD=202511..202512'] });
    await button(page, 'Run').click();
    await page.getByRole('progressbar', { name: /whole range/ }).waitFor();
    await button(page, 'Cancel').click();
    await page.getByText('Run the tool to see what it returns.').waitFor();
  });

  test.each([
    ['on a desk, light', 'light', 1280, 2024],
    ['on a telephone, dark', 'dark', 390, 2025],
  ] as const)(
    'has no serious fault of accessibility %s',
    async (_where, colorScheme, width, year) => {
      const page = await open({ colorScheme, viewport: { width, height: 844 } });
      await enterMedians(page, year);
      const faults = await seriousFaults(page);
      await button(page, 'Run').click();
      await button(page, 'Run it').waitFor();
      faults.push(...(await seriousFaults(page)));
      await button(page, 'Run it').click();
      for (const view of ['Table', 'Chart']) {
        await page.getByRole('tab', { name: view }).click();
        faults.push(...(await seriousFaults(page)));
      }
      expect(faults).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    },
  );

  test('a range that is not complete names the units that failed', async () => {
    const range = { LAWD_CD: '11710', _over: ['DEAL_YMD=202511'] };
    const page = await open({}, range);
    await button(page, 'Run').click();
    await result(page).getByText('1 of 1').waitFor();
    await gateway.fault('molit_apt_trades', 'status:500', 20);
    await field(page, 'DEAL_YMD from').fill('202511');
    await field(page, 'DEAL_YMD to').fill('202512');
    await button(page, 'Run').click();
    const failures = result(page).getByRole('alert').filter({ hasText: 'Some units failed' });
    await failures.getByText('DEAL_YMD=202512').waitFor();
    expect(await result(page).getByLabel('Range', { exact: true }).innerText()).toMatch(
      /Complete\nno\n*Units\n1 of 2\n*Failed\n1/,
    );
  });
});
