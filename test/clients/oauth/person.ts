import { chmod, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { BrowserContext } from 'playwright-core';
import { describe } from 'vitest';
import { ADMIN_ENV } from '../../support/admin-client.ts';
import { chromiumAvailable, launchChromium } from '../../support/chromium.ts';
import { allowOn } from '../../support/consent-page.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway.ts';
import { makeDataDir, removeDir } from '../../support/temporary-dir.ts';
import type { Environment } from '../support/run-program.ts';

/** Needs a browser, like every test with a person. */
export const describeSignIn = describe.runIf(chromiumAvailable);

/** A gateway at which hosts sign in, and a person who lets each of them use the tools of one category. */
export interface SignIn {
  readonly gateway: TestGateway;
  readonly person: Person;
  /** Lets two hours pass for the gateway: longer than an access token lives, and shorter than a refresh token. */
  letTokensExpire(): void;
  close(): Promise<void>;
}

export async function startSignIn(): Promise<SignIn> {
  let aheadMs = 0;
  const gateway = await startTestGateway({
    env: ADMIN_ENV,
    clock: { now: () => Date.now() + aheadMs },
  });
  const person = await startPerson();
  return {
    gateway,
    person,
    letTokensExpire: () => {
      aheadMs += 2 * 60 * 60_000;
    },
    close: async () => {
      await person.close();
      await gateway.close();
    },
  };
}

/** A person with a browser. */
interface Person {
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
const CATEGORY = 'Economy';
export const CHOSEN_TOOL = 'frankfurter_rates';
export const OTHER_TOOL = 'kma_village_forecast';

/** Starts the browser, and what takes its place for programs: a command that sends the address here, and returns at once. */
async function startPerson(): Promise<Person> {
  const [browser, dir] = await Promise.all([launchChromium(), makeDataDir()]);
  // One window for all hosts, in which the person stays signed in.
  const context = await browser.newContext({ locale: 'en-US' });
  const opened: URL[] = [];
  const failures: unknown[] = [];
  const allow = (address: string): Promise<URL> => {
    opened.push(new URL(address));
    return allowIn(context, address);
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
async function allowIn(context: BrowserContext, address: string): Promise<URL> {
  const page = await context.newPage();
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
