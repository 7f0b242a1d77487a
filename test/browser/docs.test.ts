import { createServer, request as requestOf } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { chromiumAvailable } from '../support/chromium.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { freePort } from '../support/ports.ts';
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

describe.runIf(chromiumAvailable)('the examples of GET /docs', () => {
  const browser = useBrowser();

  /** Opens the page, and waits until it says that the gateway is at this address. */
  async function expectAddress(url: string, address: string): Promise<void> {
    const page = await browser().newPage();
    await page.goto(url);
    const shown = async () => {
      const text = await page.locator('body').innerText();
      return [...new Set(text.match(/(?<=GATEWAY=|curl )http\S+/g))];
    };
    await expect.poll(shown, { interval: 1000 }).toEqual([address, `${address}/mcp`]);
  }

  test('call the gateway where the page is served', async () => {
    const gateway = await startTestGateway();
    onTestFinished(gateway.close);
    for (const url of [gateway.url, await pathProxy(gateway.url)]) {
      await expectAddress(`${url}/docs/`, url);
    }
  });

  test('call the gateway at BASE_URL where it is set', async () => {
    const port = await freePort();
    const env = { PORT: String(port), BASE_URL: 'https://tools.example.com' };
    const gateway = await startTestGateway({ env });
    onTestFinished(gateway.close);
    await expectAddress(`http://127.0.0.1:${port}/docs/`, env.BASE_URL);
  });
});

/** Serves a gateway below a path of its own. */
async function pathProxy(gatewayUrl: string): Promise<string> {
  const server = createServer(({ method, url, headers: { host: _host, ...headers } }, response) => {
    const target = gatewayUrl + url?.replace(/^\/tools/, '');
    requestOf(target, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    }).end();
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/tools`;
}
