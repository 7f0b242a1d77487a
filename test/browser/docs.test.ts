import { createServer, request as requestOf } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { chromiumAvailable } from '../support/chromium.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { freePort } from '../support/ports.ts';
import { seriousFaults } from '../support/serious-faults.ts';
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
    const context = await browser().newContext({
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    page = await context.newPage();
    page.on('request', (request) => requested.push(request.url()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (line) => {
      if (line.type() === 'error' || line.type() === 'warning') complaints.push(line.text());
    });
    await page.goto(`${gateway.url}/docs`);
  });

  test('shows every address of the description, and every operation by its summary', async () => {
    const { body } = await gateway.json('/openapi.json');
    const paths = Object.entries<Record<string, { operationId: string; summary: string }>>(
      body.paths,
    );
    expect(paths.length).toBeGreaterThan(10);
    for (const [path, operations] of paths) {
      for (const [method, { operationId, summary }] of Object.entries(operations)) {
        const text = await page.locator(`#${operationId}`).innerText();
        expect(text).toContain(summary);
        expect(text).toContain(`${method.toUpperCase()} ${path}`);
      }
    }
  });

  test('has a name, a type and a text for what an operation takes and returns', async () => {
    const operation = page.locator('#keysCreate');
    const text = await operation.innerText();
    expect(text).toMatch(/tenant string, in the path, required\s+Slug of the tenant/);
    expect(text).toMatch(/name string, required\s+What the key is for\. \(1 to 100 characters\)/);
    expect(text).toMatch(/allowedTools array of string or null/);
    expect(text).toMatch(/429 The rate limit/);
    await operation.getByRole('link', { name: 'ApiKey', exact: true }).click();
    expect(new URL(page.url()).hash).toBe('#schema-ApiKey');
    expect(await page.locator(':target').innerText()).toMatch(/^ApiKey\n/);
  });

  test('leads every link to a place that exists', async () => {
    const dead = await page.evaluate<string[]>(
      `[...document.querySelectorAll('a[href^="#"]')].map((link) => link.hash.slice(1)).filter((id) => !document.getElementById(id))`,
    );
    expect(dead).toEqual([]);
  });

  test('opens at the operation that an address names', async () => {
    await page.goto(`${gateway.url}/docs/#getAuditRecord`);
    const operation = page.locator('#getAuditRecord');
    expect(Math.abs((await operation.boundingBox())?.y ?? Number.NaN)).toBeLessThan(2);
  });

  test('copies the command of an operation, which the gateway understands', async () => {
    const { origin } = new URL(gateway.url);
    await page.locator('#sendJsonRpc').getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('status').getByText('Copied').waitFor();
    const command = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(command.startsWith(`curl -s "${origin}/mcp" \\\n  -H "x-api-key: $KEY"`)).toBe(true);
    const body = /-d '([^']*)'$/.exec(command)?.[1];
    expect((await gateway.rpc(body)).body.result.outcome).toBe('ok');
  });

  test.each(['light', 'dark'] as const)(
    'has no fault of accessibility when it is %s',
    async (colorScheme) => {
      await page.emulateMedia({ colorScheme });
      expect(await page.locator('html').getAttribute('lang')).toBe('en');
      expect(await seriousFaults(page)).toEqual([]);
    },
  );

  test.each([390, 820])('needs no scrolling sideways at %s px', async (width) => {
    await page.setViewportSize({ width, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
  });

  test('asks for nothing but itself and its icon, without an error or a warning', () => {
    // The browser does not report icons.
    expect(new Set(requested)).toEqual(new Set(['/docs', '/docs/'].map((at) => gateway.url + at)));
    expect(complaints).toEqual([]);
  });
});

describe.runIf(chromiumAvailable)('the examples of GET /docs', () => {
  const browser = useBrowser();

  /** Expects the page to say that the gateway is at this address, and nowhere else. */
  async function expectAddress(url: string, address: string): Promise<void> {
    const page = await browser().newPage();
    await page.goto(url);
    const text = await page.locator('main').innerText();
    const { protocol, host } = new URL(address);
    expect(text).toContain(`GATEWAY=${address}\n`);
    expect(text).toContain(`curl -s "${address}/api/v1/tools"`);
    const origins = text.match(/(?<=GATEWAY=|curl -s\w*(?: -X \w+)? ")\w+:\/\/[^/\s]+/g);
    expect(new Set(origins)).toEqual(new Set([`${protocol}//${host}`]));
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
