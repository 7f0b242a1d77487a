import type { Page } from 'playwright-core';
import { ADMIN } from './admin-client.ts';

/** Signs in as a person does, where the page asks for it. */
export async function signInOn(page: Page, { email, password } = ADMIN): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('main').getByRole('button', { name: 'Sign in' }).click();
}

/** Opens the address of a host in a browser, signs in, allows it, and returns where the browser goes. */
export async function allowOn(
  page: Page,
  authorizationUrl: string,
  choose: (page: Page) => Promise<void> = async () => undefined,
): Promise<URL> {
  await page.goto(authorizationUrl);
  const allow = page.getByRole('button', { name: 'Allow' });
  await allow.or(page.getByLabel('Email')).first().waitFor();
  if (!(await allow.isVisible())) await signInOn(page);
  await allow.waitFor();
  await choose(page);
  // The host may not listen: what counts is where the browser is sent.
  const leaving = page.waitForRequest((request) => /[?&](code|error)=/.test(request.url()));
  await allow.click();
  return new URL((await leaving).url());
}
