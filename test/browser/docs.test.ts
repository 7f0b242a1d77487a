import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumAvailable } from '../support/chromium.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { useBrowser } from './use-browser.ts';

describe.runIf(chromiumAvailable)('GET /docs in a browser', () => {
  let gateway: TestGateway;
  afterAll(() => gateway.close());
  const browser = useBrowser({ sharesPages: true });
  let page: Page;
  const requested: string[] = [];
  const complaints: string[] = [];

  beforeAll(async () => {
    gateway = await startTestGateway();
    page = await browser().newPage();
    page.on('request', (request) => requested.push(request.url()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (line) => {
      if (line.type() === 'error' || line.type() === 'warning') complaints.push(line.text());
    });
    await page.goto(`${gateway.url}/docs`);
    await page.getByRole('heading', { name: 'Tool Gateway' }).waitFor();
  });

  test('shows every address of the description, and every operation by its summary', async () => {
    const { body } = await gateway.json('/openapi.json');
    expect(Object.keys(body.paths).length).toBeGreaterThan(10);
    const text = () => page.locator('body').innerText();
    for (const [path, operations] of Object.entries<Record<string, { summary: string }>>(
      body.paths,
    )) {
      await expect.poll(text).toContain(path);
      for (const { summary } of Object.values(operations)) {
        await expect.poll(text).toContain(summary);
      }
    }
  });

  test('sends requests to the gateway only', async () => {
    expect(requested).toContain(`${gateway.url}/openapi.json`);
    expect(
      requested.filter((url) => !/^(data|blob):/.test(url) && !url.startsWith(gateway.url)),
    ).toEqual([]);
  });

  test('offers nothing that would send the description away', async () => {
    expect(await page.getByText(/Ask AI|Generate MCP|Deploy/).count()).toBe(0);
  });

  test('runs without an error or a warning', () => {
    expect(complaints).toEqual([]);
  });

  test('sends the request that its reader tries out', async () => {
    await page
      .getByRole('button', { name: /Test Request.*\/mcp\)/s })
      .first()
      .click();
    await page.getByRole('button', { name: /^Send/ }).first().click();
    // The reader has entered no key. A request blocked by the page's policy would show a different error.
    await expect.poll(() => complaints).toEqual([expect.stringContaining('401 (Unauthorized)')]);
  });
});
