import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { release } from '../../src/platform/kernel/version.ts';
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

const TOOL = '/admin/catalogue/frankfurter_rates';
const FORECAST = '/admin/catalogue/kma_village_forecast';

describe.runIf(chromiumAvailable)('home, catalogue and playground', () => {
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

  const open = (path: string, options: Parameters<typeof openPage>[2] = {}): Promise<Page> =>
    openPage(browser(), `${gateway.url}${path}`, { complaints, ...options });

  const run = (page: Page) => page.getByRole('button', { name: 'Run', exact: true }).click();
  const result = (page: Page) => page.getByRole('region', { name: 'Result' });
  const answer = (body: string) =>
    gateway.upstream.answer((_request, response) => {
      response.setHeader('content-type', 'application/json').end(body);
    });

  describe('a visitor', () => {
    test('reads the version below every page', async () => {
      const page = await open('/admin/catalogue');
      const footer = page.getByRole('contentinfo');
      await footer.getByText(`Tool Gateway ${release()}`).waitFor();
      expect(await footer.getByRole('link').allInnerTexts()).toEqual(['API reference', 'OpenAPI']);
    });

    test('reads what the gateway is, and finds every part by its name', async () => {
      const page = await open('/');
      expect(await page.title()).toBe('Tool Gateway');
      await page.getByText('Data services').waitFor();
      for (const name of ['API keys', 'Audit log', 'Catalogue', 'Settings']) {
        expect(await page.getByRole('link', { name }).count(), name).toBe(1);
      }
      await page.getByRole('link', { name: 'Settings' }).click();
      await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();
    });

    test('searches the tools on the first page, in English and Korean', async () => {
      const page = await open('/admin');
      const words = page.getByRole('searchbox');
      await words.fill('환율');
      await page.getByRole('link', { name: 'Korean won exchange rates of a day' }).waitFor();
      await words.fill('tides');
      await page.getByRole('link', { name: /High and low/ }).click();
      await page.getByText('khoa_tide_high_low').first().waitFor();
    });

    test('filters the catalogue, and finds the filters again in the address', async () => {
      const page = await open('/admin/catalogue');
      await page.getByRole('button', { name: /^Weather \d+/ }).click();
      await page.getByRole('searchbox').fill('air quality');
      await page.waitForURL(/category=weather.*q=air/);
      await page.getByRole('link', { name: 'Air quality now in a Korean province' }).waitFor();
      await page.reload();
      expect(await page.getByRole('searchbox').inputValue()).toBe('air quality');
      await page.getByRole('searchbox').fill('zzzzzz');
      await page.getByText('No tools found').waitFor();
      await page.getByRole('button', { name: 'Show all tools' }).click();
      await page.getByText(/^\d+ tools$/).waitFor();
    });

    test('finds tools and pages with the keyboard alone', async () => {
      const page = await open('/admin/catalogue');
      await page.keyboard.press('Control+k');
      await page.locator('input:focus[role="combobox"]').waitFor();
      await page.keyboard.type('미세먼지');
      const tool = page.getByRole('option', { name: 'Air quality now in a Korean province' });
      const isChosen = async () => (await tool.getAttribute('aria-selected')) === 'true';
      while (!(await isChosen())) await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Air quality now in a Korean province' }).waitFor();
      await expect.poll(() => page.evaluate('document.activeElement?.tagName')).toBe('H1');
    });

    test('reads about a tool, and is asked to sign in to run it', async () => {
      const page = await open(FORECAST);
      await page.getByRole('table', { name: 'Arguments' }).getByText('base_date').waitFor();
      await page.getByRole('table', { name: 'Result columns' }).getByText('fcstDate').waitFor();
      await page.getByText('needs PUBLIC_DATA_SERVICE_KEY').waitFor();
      await page.getByRole('link', { name: 'Sign in to run it' }).click();
      await page.getByLabel('Email').fill(ADMIN.email);
      await page.getByLabel('Password', { exact: true }).fill(ADMIN.password);
      await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
      expect(new URL(page.url()).pathname).toBe(FORECAST);
    });

    test('is told when a tool does not exist', async () => {
      const page = await open('/admin/catalogue/no_such_tool');
      await page.getByRole('heading', { name: 'Page not found' }).waitFor();
      await page.getByRole('link', { name: 'Go to the start page' }).click();
      await page.getByText('Data services').waitFor();
    });

    test('is told when the gateway does not answer, and sees the page once it does', async () => {
      const page = await open('/admin/catalogue');
      await page.getByText(/^\d+ tools$/).waitFor();
      await page.context().setOffline(true);
      await page.getByRole('searchbox').fill('rain');
      await page.getByText('The gateway does not answer.', { exact: true }).waitFor();
      await page.context().setOffline(false);
      await page.getByRole('button', { name: 'Try now' }).click();
      await page.getByRole('link', { name: 'Weather anywhere in the world' }).waitFor();
      await page
        .getByText('The gateway does not answer.', { exact: true })
        .waitFor({ state: 'detached' });
    });
  });

  describe('a member', () => {
    test('runs a tool: table, tree, JSON-RPC, cost, code and the audit record', async () => {
      const viewer = await joinAsViewer(gateway, operator);
      const page = await open(TOOL, { who: viewer });
      await page.getByRole('textbox', { name: 'base', exact: true }).fill('EUR');
      await run(page);
      await page.getByRole('columnheader', { name: 'rate' }).waitFor();
      const cost = page.getByLabel('What this call cost');
      expect(await cost.innerText()).toMatch(
        /Time\n[\d.]+ m?s[\s\S]*Tokens\n≈ \d+[\s\S]*Cache\nMISS/,
      );
      await page.getByRole('tab', { name: 'Tree' }).click();
      await result(page).getByText('"GBP"').waitFor();
      await page.getByRole('tab', { name: 'JSON-RPC' }).click();
      expect(await result(page).locator('pre').innerText()).toMatch(
        /^\{"jsonrpc":"2.0","id":1,"result":/,
      );
      await page.getByRole('tab', { name: 'Python' }).click();
      await page.getByText('{"base": "EUR"}').waitFor();
      await cost.getByRole('link').click();
      await page.getByRole('heading', { name: 'Audit log' }).waitFor();
      await page.getByRole('dialog').getByText('Dashboard', { exact: true }).waitFor();
    });

    test('repeats a call with changes: its arguments are in the address', async () => {
      const page = await open(TOOL, { who: operator });
      const base = page.getByRole('textbox', { name: 'base', exact: true });
      await base.fill('USD');
      await run(page);
      await page.getByRole('tab', { name: 'Table' }).waitFor();
      await base.fill('JPY');
      await run(page);
      await page.waitForURL(/JPY/);
      await page.goBack();
      await expect.poll(() => base.inputValue()).toBe('USD');
      await page.reload();
      expect(await base.inputValue()).toBe('USD');
    });

    test('chooses a place on the map, with the mouse and with the keyboard', async () => {
      const page = await open(FORECAST, { who: operator });
      const [latitude, longitude] = ['lat', 'lon'].map((name) =>
        page.getByRole('textbox', { name, exact: true }),
      );
      await page.getByRole('button', { name: 'Choose on the map' }).click();
      const map = page.getByRole('application');
      await map.click();
      expect(Number(await latitude?.inputValue())).toBeGreaterThan(34);
      await page.getByRole('button', { name: 'Busan' }).click();
      expect(await longitude?.inputValue()).toBe('129.0756');
      await map.focus();
      await page.keyboard.press('ArrowUp');
      expect(await latitude?.inputValue()).toBe('35.2796');
      await page.keyboard.press('Shift+ArrowLeft');
      expect(await longitude?.inputValue()).toBe('128.5756');
    });

    test('sees a forecast as a chart, and its numbers as a table', async () => {
      const page = await open(FORECAST, { who: operator });
      await page.getByRole('button', { name: 'Fill in an example' }).click();
      await run(page);
      await page.getByRole('tab', { name: 'Chart' }).click();
      await page.getByRole('img', { name: /fcstDate \+ fcstTime/ }).waitFor();
      await expect.poll(() => page.locator('.u-wrap canvas').count()).toBe(1);
      await page.getByRole('button', { name: 'Show as a table' }).click();
      await page.getByRole('columnheader', { name: 'TMP' }).waitFor();
    });

    test('is told what is wrong with an argument, before and after the call', async () => {
      const page = await open('/admin/catalogue/fixture_cached', { who: operator });
      await run(page);
      await page.getByText('This argument is required.').waitFor();
      const n = page.getByRole('textbox', { name: 'n', exact: true });
      await n.fill('many');
      await run(page);
      await page.getByText('Enter a number.').waitFor();
      await n.fill('9001');
      await run(page);
      await page.getByText('The call failed').waitFor();
      await page.getByText('Correct the marked argument.').waitFor();
      // Once, at its field, until it is changed.
      const issue = page.locator('form, [role="alert"]').getByText(/^Must be .*9001/);
      expect(await issue.count()).toBe(1);
      await n.fill('1');
      await issue.waitFor({ state: 'detached' });
    });

    test('sees the essential arguments, and the others where they have a value or an issue', async () => {
      const page = await open(FORECAST, { who: operator });
      const [lat, rows] = ['lat', 'numOfRows'].map((name) =>
        page.getByRole('textbox', { name, exact: true }),
      );
      const more = page.getByRole('button', { name: /^More arguments \(\d+\)$/ });
      await lat?.waitFor();
      expect(await more.getAttribute('aria-expanded')).toBe('false');
      await page.goto(`${gateway.url}${FORECAST}?args={"lat":37.5,"lon":127,"numOfRows":-4}`);
      await rows?.waitFor();
      await more.click();
      await rows?.waitFor({ state: 'hidden' });
      await run(page);
      await page.getByText(/^Must be at least 1 .* but is -4\.$/).waitFor();
      expect(await rows?.isVisible()).toBe(true);
    });

    test('reads where a result is from, and the time of its data', async () => {
      const page = await open(TOOL, { who: operator });
      await run(page);
      const source = page.getByLabel('Source of the data');
      await expect.poll(() => source.innerText()).toMatch(/Source[\s\S]*Licence[\s\S]*Data as of/);
    });

    test('reads hostile text as text', async () => {
      const hostile = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
      answer(JSON.stringify([{ [hostile]: hostile, b: hostile }]));
      const page = await open('/admin/catalogue/fixture_uncached', { who: operator });
      await run(page);
      await page.getByRole('columnheader', { name: hostile }).waitFor();
      await page.getByRole('tab', { name: 'Tree' }).click();
      await result(page).getByText('onerror').first().waitFor();
      expect(await page.title()).toContain('fixture_uncached');
    });

    test('keeps working with an answer of ten megabytes', async () => {
      const row = (at: number) => ({ at, day: '2026-01-01', name: 'x'.repeat(70) });
      const rows = JSON.stringify({ rows: Array.from({ length: 92_000 }, (_, at) => row(at)) });
      expect(rows.length).toBeGreaterThan(9_500_000);
      answer(rows);
      const page = await open('/admin/catalogue/fixture_uncached', { who: operator });
      await run(page);
      await page.getByText('1 to 50 of 92,000').waitFor();
      await page.getByRole('button', { name: 'Next page' }).click();
      await page.getByText('51 to 100 of 92,000').waitFor();
      await page.getByRole('tab', { name: 'Tree' }).click();
      await page.getByRole('button', { name: /rows:\s*92,000 items/ }).click();
      await page.getByRole('button', { name: 'Show 100 more' }).click();
      await page.getByRole('tab', { name: 'JSON-RPC' }).click();
      await page.getByText(/Only the first 200,000 of [\d,]+ are shown/).waitFor();
      // The page stays small however large the answer is.
      expect(await page.locator('*').count()).toBeLessThan(5000);
    });

    test('signs in again when the session ends, and finds the arguments', async () => {
      const person = await inviteAndJoin(gateway, operator, {
        tenant: 'default',
        email: 'short@example.com',
        role: 'viewer',
      });
      const page = await open(TOOL, { who: person });
      await page.getByRole('textbox', { name: 'base', exact: true }).fill('CHF');
      await run(page);
      await page.getByRole('tab', { name: 'Table' }).waitFor();
      await page.goto(`${gateway.url}/admin/audit?tool=frankfurter_rates`);
      await page.getByRole('heading', { name: 'Audit log' }).waitFor();
      await person.ask('DELETE /session');
      // The page has just asked who is signed in, and believes it for a second.
      await page.waitForTimeout(1100);
      await page.getByRole('link', { name: 'Live', exact: true }).click();
      await page.getByLabel('Email').fill('short@example.com');
      await page.getByLabel('Password', { exact: true }).fill(ADMIN.password);
      await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Live', level: 1 }).waitFor();
    });
  });

  test.each([
    ['on a desk, light', 'light', 1280],
    ['on a telephone, dark', 'dark', 390],
  ] as const)(
    'has no serious fault of accessibility while it shows a result %s',
    async (_where, colorScheme, width) => {
      const page = await open(FORECAST, {
        who: operator,
        colorScheme,
        viewport: { width, height: 844 },
      });
      await page.getByRole('button', { name: 'Fill in an example' }).click();
      await page.getByRole('button', { name: 'Choose on the map' }).click();
      await page.getByRole('application').waitFor();
      await run(page);
      const faults: string[] = [];
      for (const view of ['Table', 'Chart', 'Tree', 'JSON-RPC']) {
        await page.getByRole('tab', { name: view }).click();
        faults.push(...(await seriousFaults(page)).map((fault) => `${view}: ${fault}`));
      }
      expect(faults).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    },
  );
});
