import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { registerApi } from '../own-apis/register-api.ts';
import { ADMIN_ENV, type AdminClient, signIn } from '../support/admin-client.ts';
import { chromiumAvailable } from '../support/chromium.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { seriousFaults } from '../support/serious-faults.ts';
import { openPage, useBrowser } from './use-browser.ts';

const describeApi = (url: string): string => `openapi: 3.1.0
info: { title: Parcels, version: '1' }
servers: [{ url: '${url}' }]
paths:
  /parcels:
    get:
      operationId: list_parcels
      description: Parcels.
      parameters: [{ name: part, in: query, description: A part., schema: { type: string } }]
      responses: { '200': { description: Text. } }
`;

describe.runIf(chromiumAvailable)('the overview in a browser', () => {
  const browser = useBrowser();
  let gateway: TestGateway;
  let operator: AdminClient;
  const complaints: string[] = [];

  beforeAll(async () => {
    gateway = await startTestGateway({ env: { ...ADMIN_ENV, ALLOW_PRIVATE_UPSTREAMS: 'true' } });
    operator = await signIn(gateway);
    return async () => {
      await gateway.close();
    };
  });
  afterAll(() => expect(complaints).toEqual([]));

  const open = (query = ''): Promise<Page> =>
    openPage(browser(), `${gateway.url}/admin/overview${query}`, { who: operator, complaints });

  test('a fresh gateway shows what to do first', async () => {
    const page = await open();
    // Exactly: until the figures are there, empty tables may say a sentence that begins like this.
    await page.getByText('No calls in this period', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Create an API key', exact: true }).waitFor();
    await page.getByText('Healthy').first().waitFor();
    await page.getByText('No problems.', { exact: true }).waitFor();
    const steps = page.getByRole('region', { name: 'First steps' });
    await steps.getByRole('link', { name: 'Invite another person' }).waitFor();
    await steps.getByText('Set a provider key · done').waitFor();
    await steps.getByRole('button', { name: 'Dismiss' }).click();
    await steps.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByText('Healthy').first().waitFor();
    expect(await steps.count()).toBe(0);
  });

  test('calls appear as figures, charts and tables, and lead to the audit log', async () => {
    for (const base of ['USD', 7, 'EUR', 'USD']) await gateway.call('frankfurter_rates', { base });
    await vi.waitFor(
      async () => {
        const { body } = await operator.ask('GET /statistics/totals');
        expect(body.all.calls).toBe(4);
      },
      { timeout: 60_000, interval: 500 },
    );
    const page = await open('?range=1h');
    const tiles = page.getByRole('region', { name: 'Summary' });
    await tiles.getByText('25%', { exact: true }).waitFor();
    await page.getByRole('img', { name: 'Calls by outcome' }).waitFor();
    await page.getByLabel('Group by').selectOption('tool');
    await page.waitForURL(/by=tool/);
    await page.getByRole('img', { name: 'Latency p95' }).waitFor();
    const tools = page.getByRole('table', { name: 'Top tools' });
    await tools.getByRole('link', { name: 'frankfurter_rates' }).click();
    await page.waitForURL(/\/admin\/audit\?.*tool=frankfurter_rates/);
  });

  test('failed calls lead to exactly these calls in the audit log', async () => {
    const page = await open('?range=1h');
    const tiles = page.getByRole('region', { name: 'Summary' });
    const rows = page.getByRole('table', { name: 'Audit log' }).locator('tbody tr:has(a)');
    const leadsTo = async (link: Locator, count: number) => {
      await link.click();
      await page.waitForURL(/\/admin\/audit/);
      await page.getByRole('heading', { name: 'Audit log' }).waitFor();
      await expect.poll(() => rows.count()).toBe(count);
      await page.goBack();
    };
    await leadsTo(tiles.getByRole('link', { name: '25%', exact: true }), 1);
    const caller = tiles.getByRole('listitem').filter({ hasText: 'Caller' });
    await leadsTo(caller.getByRole('link'), 1);
    await leadsTo(tiles.getByRole('link', { name: '4', exact: true }), 4);
    const legend = page.getByRole('figure').first();
    await leadsTo(legend.getByRole('link', { name: 'OK', exact: true }), 3);
    await leadsTo(legend.getByRole('link', { name: 'Caller', exact: true }), 1);
    const tools = page.getByRole('table', { name: 'Top tools' });
    await leadsTo(tools.getByRole('link', { name: '25%' }), 1);
  });

  test('an outage is reported once, over the page, whose panels keep their figures', async () => {
    const page = await open('?range=1h');
    const tiles = page.getByRole('region', { name: 'Summary' });
    await tiles.getByText('25%', { exact: true }).waitFor();
    await page.route(/\/(admin\/api|health)/, (route) => route.abort());
    await page.getByText('The gateway does not answer').waitFor();
    // Longer than the pause between two attempts, of which every panel has made several by now.
    await page.waitForTimeout(12_000);
    expect(await page.getByRole('alert').count()).toBe(1);
    await tiles.getByText('25%', { exact: true }).waitFor();
    await page.unroute(/\/(admin\/api|health)/);
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });

  test('dragging zooms to a time, and a point leads to its calls', async () => {
    const page = await open('?range=1h');
    const chart = page.getByRole('img', { name: 'Calls by outcome' });
    const plot = chart.locator('.u-over');
    await plot.scrollIntoViewIfNeeded();
    const { x, y, width, height } = (await plot.boundingBox()) ?? expect.fail('No chart');
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width - 1, y + height / 2, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(/from=.*&to=/);
    expect(new URL(page.url()).searchParams.get('range')).toBeNull();
    await page.getByLabel('From', { exact: true }).waitFor();
    expect(await page.getByLabel('Period', { exact: true }).inputValue()).toBe('exact');
    await page.getByRole('figure').first().getByRole('button', { name: 'Show as a table' }).click();
    const times = page.getByRole('table', { name: 'Calls by outcome' }).getByRole('button');
    await times.first().click();
    await page.waitForURL(/\/admin\/audit\?.*from=.*to=/);
    await page.getByRole('heading', { name: 'Audit log' }).waitFor();
    await page.goBack();
    await plot.click();
    await page.waitForURL(/\/admin\/audit\?.*from=.*to=/);
  });

  test('operators see all tenants, and the address keeps the choice', async () => {
    const page = await open('?scope=all&by=tenant');
    const table = page.getByRole('table', { name: 'Top tenants' });
    await table.getByText('default').waitFor();
    await page.getByText('No requests with a provider key today.').waitFor();
    expect(await page.getByLabel('Group by').inputValue()).toBe('tenant');
    const tools = page.getByRole('table', { name: 'Top tools' });
    const tool = tools.getByRole('link', { name: 'frankfurter_rates' });
    expect(await tool.getAttribute('href')).toContain('/admin/catalogue/frankfurter_rates');
    await page.getByRole('table', { name: 'Top API keys' }).getByRole('link').first().click();
    await page.waitForURL(/settings\/keys\/key_.*tenant=default/);
    await page.goBack();
    await table.getByRole('link', { name: 'default' }).click();
    await page.waitForURL(/overview\?tenant=default$/);
    await page.getByRole('region', { name: 'Refused requests' }).waitFor();
  });

  test('says why calls fail, and leads to exactly these with one click', async () => {
    await registerApi(gateway, gateway.key, {
      name: 'Parcels',
      spec_raw: describeApi(gateway.upstream.url),
    });
    gateway.upstream.answer((_request, response) => void response.writeHead(503).end());
    for (const part of ['a', 'b', 'c']) await gateway.call('list_parcels', { part });
    await vi.waitFor(
      async () => {
        const { body } = await operator.ask('GET /tenants/default/problems');
        expect(body.problems).toMatchObject([{ kind: 'api', calls: 3 }]);
      },
      { timeout: 60_000, interval: 500 },
    );
    const page = await open();
    const card = page.getByRole('region', { name: 'Problems' });
    await card.getByText('The API answers 503').waitFor();
    expect(await seriousFaults(page, 'body')).toEqual([]);
    await card.getByText(/^started/).waitFor();
    await card.getByRole('link', { name: 'Open the API' }).waitFor();
    const menu = page.getByRole('navigation', { name: 'Main' });
    await menu.getByRole('link', { name: 'Overview 1 problem' }).waitFor();
    await menu.getByRole('link', { name: 'APIs 1 problem' }).waitFor();
    for (const entry of await menu.getByRole('link').all()) {
      const box = await entry.boundingBox();
      expect([await entry.innerText(), box && box.height < 45]).toEqual([expect.anything(), true]);
    }
    const tools = page.getByRole('table', { name: 'Top tools' });
    await tools.getByRole('button', { name: 'Failed' }).click();
    await expect.poll(() => tools.locator('tbody tr').first().innerText()).toMatch(/list_parcels/);
    await card.getByRole('link', { name: '3 calls lost' }).click();
    await page.waitForURL(/\/admin\/audit\?.*tool=list_parcels/);
    const rows = page.getByRole('table', { name: 'Audit log' }).locator('tbody tr');
    await expect.poll(() => rows.getByRole('link').count(), { timeout: 20_000 }).toBe(3);
    await page.goto(`${gateway.url}/admin/apis`);
    await page.getByRole('row', { name: /Parcels Failing The API answers 503/ }).waitFor();
    const apis = page.getByRole('table', { name: 'APIs' });
    await apis.getByRole('link', { name: 'Parcels', exact: true }).click();
    await page.getByText('Failing The API answers 503').waitFor();
    await page.getByRole('row', { name: 'list_parcels Failing' }).waitFor();
    expect(await seriousFaults(page, 'body')).toEqual([]);
  });
});
