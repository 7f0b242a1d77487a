import { chmod, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Browser } from 'playwright-core';
import { launchChromium } from '../../support/chromium.ts';
import { allowOn } from '../../support/consent-page.ts';
import { makeDataDir, removeDir } from '../../support/temporary-dir.ts';
import type { Environment } from '../support/run-program.ts';

/** A person with a browser, who signs in and lets every host use the tools of one category. */
export interface Person {
  /** The environment of a host whose command for opening a browser reaches this person. */
  readonly env: Environment;
  /** The addresses that were opened, oldest first. */
  readonly opened: readonly URL[];
  /** What went wrong in the browser. A host only waits in vain then. */
  readonly failures: unknown[];
  /** Opens the address, allows the host, and returns where the browser is sent. */
  allow(address: string): Promise<URL>;
  close(): Promise<void>;
}

/** The category that the person chooses on the consent page, a tool of it, and one of another category. */
export const CATEGORY = 'economy';
export const CHOSEN_TOOL = 'frankfurter_rates';
export const OTHER_TOOL = 'kma_village_forecast';

/** Starts the browser, and what takes its place for programs: a command that sends the address here, and returns at once. */
export async function startPerson(): Promise<Person> {
  const [browser, dir] = await Promise.all([launchChromium(), makeDataDir()]);
  const opened: URL[] = [];
  const failures: unknown[] = [];
  const allow = (address: string): Promise<URL> => {
    opened.push(new URL(address));
    return allowIn(browser, address);
  };
  const server = createServer(async (request, response) => {
    const address = await text(request);
    response.end();
    await allow(address).catch((error) => failures.push(error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    env: await writeCommand(dir, `http://127.0.0.1:${port}/`),
    opened,
    failures,
    allow,
    close: async () => {
      await browser.close();
      await new Promise((resolve) => server.close(resolve));
      await removeDir(dir);
    },
  };
}

/** The page stays open, so that the host can respond to what the browser brings. */
async function allowIn(browser: Browser, address: string): Promise<URL> {
  const page = await (await browser.newContext({ locale: 'en-US' })).newPage();
  return allowOn(page, address, () =>
    page.getByRole('checkbox', { name: new RegExp(`^${CATEGORY}`) }).check(),
  );
}

/** Some programs start `BROWSER`, others only `xdg-open`. */
async function writeCommand(dir: string, url: string): Promise<Environment> {
  const command = join(dir, 'xdg-open');
  await writeFile(command, `#!/bin/sh\nexec curl --silent --noproxy '*' --data-raw "$1" ${url}\n`);
  await chmod(command, 0o755);
  return { BROWSER: command, PATH: `${dir}:${process.env['PATH']}` };
}
