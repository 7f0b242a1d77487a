import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Browser } from 'playwright-core';
import { launchChromium } from '../test/support/chromium.ts';
import {
  ON_TERMINAL,
  type RunningGateway,
  startGatewayProcess,
} from '../test/support/gateway-process.ts';
import { startForPictures, takeDashboard } from './dashboard-screenshots.ts';

/** Takes the screenshots in docs/images from a gateway after its first start. */
const IMAGES = resolve(import.meta.dirname, '../docs/images');
/** An escape sequence that starts or ends a text style. */
const STYLE = new RegExp(`${String.fromCharCode(27)}\\[(\\d+)m`, 'g');

const browser = await launchChromium();
try {
  await mkdir(IMAGES, { recursive: true });
  await withDataDir(async (dataDir) => {
    const env = { DATA_DIR: dataDir, PORT: '8080', FORCE_COLOR: '1', LOG_LEVEL: 'warn' };
    const gateway = await startGatewayProcess(env, [], ON_TERMINAL);
    await takeApiDocs(browser, gateway);
    await takeFirstStart(browser, gateway, dataDir);
    await gateway.stop();
  });
  await withDataDir(async (dataDir) => {
    const gateway = await startForPictures(dataDir);
    await takeDashboard(browser, gateway, IMAGES);
    await gateway.stop();
  });
} finally {
  await browser.close();
}

async function withDataDir(use: (dataDir: string) => Promise<void>): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gateway-screenshots-'));
  await use(dataDir);
  await rm(dataDir, { recursive: true });
}

async function takeApiDocs(browser: Browser, { url }: RunningGateway): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(`${url}/docs/#sendJsonRpc`);
  await page.screenshot({ path: join(IMAGES, 'api-docs.png'), animations: 'disabled' });
}

/** The banner as a terminal shows it, with placeholders for the key, the password and the directory. */
async function takeFirstStart(
  browser: Browser,
  { stdout, key }: RunningGateway,
  dataDir: string,
): Promise<void> {
  const banner = stdout()
    .replaceAll('\r', '')
    .replaceAll(key, 'tg_live_…')
    .replaceAll(dataDir, './data')
    .replace(/(\[32m)[\w-]{27}/, '$1…')
    .trim();
  const page = await browser.newPage({
    viewport: { width: 1120, height: 600 },
    deviceScaleFactor: 1,
  });
  await page.setContent(terminalPage(banner));
  await page.locator('main').screenshot({ path: join(IMAGES, 'first-start.png') });
}

function terminalPage(banner: string): string {
  return `<!doctype html>
<style>
  body { margin: 0; background: #fff }
  main { width: max-content; background: #16181d; color: #d7dae0; border-radius: 10px; overflow: hidden }
  header { padding: 10px 14px; background: #23262d; display: flex; gap: 8px }
  header i { width: 12px; height: 12px; border-radius: 50%; background: #4a4f5a }
  pre { margin: 0; padding: 18px 26px 24px; font: 14px/1.5 "DejaVu Sans Mono", monospace }
  .prompt { color: #8a919e }
  .s1 { font-weight: 700; color: #fff }
  .s2 { color: #8a919e }
  .s32 { color: #7ddb9a }
</style>
<main>
  <header><i></i><i></i><i></i></header>
  <pre><span class="prompt">$</span> npm start

  ${htmlOf(banner)}</pre>
</main>`;
}

/** Turns terminal styles into spans. Every other escape sequence ends the previous style. */
function htmlOf(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return escaped.replace(STYLE, (_sequence, code: string) =>
    ['1', '2', '32'].includes(code) ? `<span class="s${code}">` : '</span>',
  );
}
