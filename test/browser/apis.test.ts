import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { ADMIN_ENV, type AdminClient, signIn } from '../support/admin-client.ts';
import { chromiumAvailable } from '../support/chromium.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { seriousFaults } from '../support/serious-faults.ts';
import { until } from '../support/until.ts';
import { openPage, useBrowser } from './use-browser.ts';

const SPEC = resolve(import.meta.dirname, '../../sandbox/practice/openapi.yaml');

describe.runIf(chromiumAvailable)('registered APIs in a browser', { timeout: 300_000 }, () => {
  const browser = useBrowser();
  let gateway: TestGateway;
  let operator: AdminClient;
  const complaints: string[] = [];

  beforeEach(async () => {
    complaints.length = 0;
    gateway = await startTestGateway({
      env: {
        ...ADMIN_ENV,
        ALLOW_PRIVATE_UPSTREAMS: 'true',
        ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
      },
    });
    operator = await signIn(gateway);
    return () => gateway.close();
  });

  const open = async (path: string): Promise<Page> => {
    const page = await openPage(browser(), `${gateway.url}/admin${path}`, {
      who: operator,
      complaints,
    });
    page.setDefaultTimeout(60_000);
    return page;
  };

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const choose = async (page: Page, label: string, option: string): Promise<void> => {
    await page.getByRole('combobox', { name: label, exact: true }).click();
    await page.getByRole('option', { name: option, exact: true }).click();
  };
  const practice = () => `${gateway.sandbox.url}/practice/openapi.yaml`;

  /** Registers an API without the browser. */
  async function register(members: object = {}): Promise<string> {
    const { body } = await operator.ask('POST /tenants/default/registrations', {
      name: 'Reading List',
      spec_url: practice(),
      auth: { type: 'bearer', token: 'practice-token' },
      ...members,
    });
    let id = '';
    await until(async () => {
      const job = await operator.ask(`GET /tenants/default/registration-jobs/${body.id}`);
      id = job.body.registrationId;
      return job.body.progress === 1;
    });
    return id;
  }

  test('an API is checked, registered and called', async () => {
    const page = await open('/apis');
    await page.getByText('No APIs yet').waitFor();
    await page.getByRole('link', { name: 'Register an API' }).first().click();
    await page.getByLabel('Address of the OpenAPI description').fill(practice());
    await page.getByLabel('Name', { exact: false }).first().fill('Reading List');
    await choose(page, 'Authentication', 'Bearer token');
    await page.getByLabel('Token').fill('practice-token');
    await button(page, 'Check').click();
    await page.getByText('The description was checked. Nothing is live yet.').waitFor();
    await page.getByRole('table', { name: 'Operations' }).getByText('listbooks').waitFor();

    expect(await seriousFaults(page, 'main')).toEqual([]);

    await button(page, 'Register').click();
    await page.getByText('The tools are live').waitFor();
    await page.getByRole('link', { name: 'Open Reading List' }).click();
    await page.getByRole('heading', { level: 1, name: 'Reading List' }).waitFor();
    await page.getByRole('link', { name: 'listbooks' }).waitFor();
    expect(await seriousFaults(page, 'main')).toEqual([]);
    const called = await gateway.call('listbooks', { author: 'Borges' });
    expect(called.body.result.data).toMatchObject({ books: [{ title: 'Ficciones' }] });
    expect(complaints).toEqual([]);
  });

  test('a description that leads elsewhere asks before the credential is sent there', async () => {
    const elsewhere = gateway.sandbox.url.replace('127.0.0.1', 'localhost');
    const described = readFileSync(SPEC, 'utf8').replace(
      'url: /practice',
      `url: ${elsewhere}/practice`,
    );
    gateway.upstream.answer((_request, response) => void response.end(described));
    const page = await open('/apis/register');
    await page
      .getByLabel('Address of the OpenAPI description')
      .fill(`${gateway.upstream.url}/openapi.yaml`);
    await page.getByLabel('Name', { exact: false }).first().fill('Reading List');
    await choose(page, 'Authentication', 'Bearer token');
    await page.getByLabel('Token').fill('practice-token');
    await button(page, 'Check').click();
    await page.getByText(`The credential would be sent to ${elsewhere}.`).waitFor();
    await button(page, 'Register').click();
    const alert = page
      .getByRole('alert')
      .filter({ hasText: 'Send the credential to these addresses?' });
    await alert.getByText(elsewhere, { exact: true }).waitFor();
    expect(await seriousFaults(page, 'main')).toEqual([]);
    await button(page, 'Send the credential there and register').click();
    await page.getByText('The tools are live').waitFor();
    const called = await gateway.call('listbooks', { author: 'Borges' });
    expect(called.body.result.data).toMatchObject({ books: [{ title: 'Ficciones' }] });

    // The page of the job that asked knows no credential any more.
    await page.getByRole('link', { name: 'APIs' }).first().click();
    await page.getByText('Needs confirmation').waitFor();
    const jobs = page.getByRole('table', { name: 'Registration jobs' });
    const row = jobs.getByRole('row').filter({ hasText: 'Needs confirmation' });
    await row.getByRole('link', { name: 'Reading List' }).click();
    await page.getByText('The credential was deleted.').waitFor();
    expect(complaints).toEqual([]);
  });

  test('a file is read here, and a failing description shows why', async () => {
    const page = await open('/apis/register');
    await page.getByText('File', { exact: true }).click();
    await page.locator('input[type=file]').setInputFiles(SPEC);
    await page.getByText('openapi.yaml,').waitFor();
    await page.getByText('Text', { exact: true }).click();
    const hostile = '<img src=x onerror=alert(1)>';
    const broken = {
      openapi: '3.1.0',
      info: { title: hostile, version: '1' },
      paths: { '/a': {} },
    };
    await page.getByLabel('OpenAPI description in JSON or YAML').fill(JSON.stringify(broken));
    await page.getByLabel('Name', { exact: false }).first().fill(hostile);
    await button(page, 'Register').click();
    await page.getByText('Nothing was registered').waitFor();
    await page
      .getByText(/No operation of the description can become a tool/)
      .first()
      .waitFor();
    await page.getByRole('link', { name: 'APIs' }).first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('table', { name: 'Registration jobs' }).getByText(hostile).waitFor();
    expect(await page.locator('img[src="x"]').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('a half-filled registration asks before it is left, and says at its fields what is missing', async () => {
    const page = await open('/apis/register');
    const name = page.getByLabel('Name', { exact: false }).first();
    await name.fill('Half');
    await button(page, 'Check').click();
    const address = page.getByLabel('Address of the OpenAPI description');
    expect(await address.and(page.locator(':focus')).count()).toBe(1);
    await page.getByText('Fill in this field.').waitFor();
    await address.fill('not an address');
    await page.keyboard.press('Enter');
    await page.getByText('Enter a complete address').waitFor();
    await address.fill(practice());
    await page.getByText('Enter a complete address').waitFor({ state: 'hidden' });

    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    await page.getByRole('link', { name: 'Catalogue' }).click();
    expect(await seriousFaults(page, '[role="dialog"]')).toEqual([]);
    await question.getByRole('button', { name: 'Keep editing' }).click();
    await question.waitFor({ state: 'hidden' });
    expect(await name.inputValue()).toBe('Half');
    expect(await address.inputValue()).toBe(practice());
    const leaving = page.waitForEvent('dialog');
    await page.close({ runBeforeUnload: true });
    const native = await leaving;
    expect(native.type()).toBe('beforeunload');
    await native.dismiss();
    expect(await name.inputValue()).toBe('Half');
    await page.getByRole('link', { name: 'Catalogue' }).click();
    await question.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('heading', { level: 1, name: 'Catalogue' }).waitFor();
    await page.getByRole('link', { name: 'APIs' }).first().click();
    await page.getByText('No APIs yet').waitFor();
    expect(complaints).toEqual([]);
    // Without a session, the page cannot stay.
    await page.getByRole('link', { name: 'Register an API' }).first().click();
    await name.fill('Half');
    await operator.ask('DELETE /session');
    await address.fill(practice());
    await button(page, 'Check').click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  });

  test('settings and texts that were not saved are kept until that is confirmed', async () => {
    const id = await register();
    const page = await open(`/apis/${id}?part=settings`);
    await page.getByLabel('Token').fill('another-token');
    const name = page.getByLabel('Name', { exact: false }).first();
    await name.fill('Books');
    await button(page, 'Save').click();
    await page.getByRole('heading', { level: 1, name: 'Books' }).waitFor();
    expect(await page.getByLabel('Token').inputValue()).toBe('another-token');
    await page.getByRole('tab', { name: 'Tools' }).click();
    await page.getByRole('button', { name: 'Keep editing' }).click();
    await button(page, 'Replace').click();
    await page.getByText('The credential was replaced.').waitFor();
    await page.getByRole('tab', { name: 'Tools' }).click();

    await page.getByRole('button', { name: 'Edit the description of listbooks' }).click();
    const text = page.getByLabel('What models read');
    await text.fill('Half a sentence');
    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    await page.keyboard.press('Escape');
    await question.waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'hidden' });
    expect(await text.inputValue()).toBe('Half a sentence');
    await page.keyboard.press('Escape');
    await question.getByRole('button', { name: 'Leave' }).click();
    await text.waitFor({ state: 'hidden' });
    expect(complaints).toEqual([]);
  });

  test('tags that exist are picked, and the list shows the calls', async () => {
    const page = await open('/apis/register');
    await page.getByText('Text', { exact: true }).click();
    const tagged = readFileSync(SPEC, 'utf8')
      .replace('url: /practice', `url: ${gateway.sandbox.url}/practice`)
      .replace('operationId: listBooks', 'operationId: listBooks\n      tags: [Reading]');
    await page.getByLabel('OpenAPI description in JSON or YAML').fill(tagged);
    await page.getByLabel('Name', { exact: false }).first().fill('Reading List');
    await choose(page, 'Authentication', 'Bearer token');
    await page.getByLabel('Token').fill('practice-token');
    await button(page, 'Check').click();
    await page.getByText('The description was checked. Nothing is live yet.').waitFor();
    const include = page.getByRole('group', { name: 'Only these operations' });
    await include.getByRole('combobox', { name: 'Filter by' }).click();
    await page.getByRole('option', { name: 'Tag', exact: true }).click();
    await include.getByRole('combobox', { name: 'Value' }).click();
    await page.getByRole('option', { name: 'Reading', exact: true }).click();
    await include.getByRole('button', { name: 'Add' }).click();
    await button(page, 'Register').click();
    await page.getByText('The tools are live').waitFor();

    await gateway.call('listbooks', { author: 'Borges' });
    await gateway.call('listbooks', { author: 5, nothing: 1 });
    const cells = async (): Promise<string> => {
      await page.goto(`${gateway.url}/admin/apis`);
      return page
        .getByRole('row', { name: /Reading List/ })
        .first()
        .innerText();
    };
    await expect.poll(cells, { interval: 1000 }).toMatch(/1\s+2\s+1 failed/);
    expect(await seriousFaults(page, 'main')).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('a refresh asks for other origins, and the second of two people is told', async () => {
    const id = await register();
    const page = await open(`/apis/${id}`);
    await button(page, 'Refresh').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('switch', { name: 'From the same address' }).uncheck();
    await dialog.getByText('Text', { exact: true }).click();
    const elsewhere = gateway.sandbox.url.replace('127.0.0.1', 'localhost');
    const moved = readFileSync(SPEC, 'utf8')
      .replace('url: /practice', `url: ${elsewhere}/practice`)
      .replace('operationId: getBook', 'operationId: readBook');
    await dialog.getByLabel('OpenAPI description in JSON or YAML').fill(moved);
    await dialog.getByRole('button', { name: 'Compare' }).click();
    await dialog.getByRole('cell', { name: 'readbook', exact: true }).waitFor();
    const apply = dialog.getByRole('button', { name: 'Use the new version' });
    expect(await apply.isDisabled()).toBe(true);
    await dialog.getByLabel(`Send the credential to ${elsewhere}`).check();
    await operator.ask(`PATCH /tenants/default/registrations/${id}`, {
      revision: 1,
      name: 'Books',
    });
    await apply.click();
    await dialog.getByText('The registration was changed since you opened it').waitFor();
    await dialog.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('heading', { level: 1, name: 'Books' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('rows show where they were found, and are corrected', async () => {
    const described = `openapi: 3.0.3
info: { title: Lists, version: '1' }
servers: [{ url: '${gateway.upstream.url}' }]
paths:
  /books/:shelf:
    get:
      operationId: books
      parameters:
        - { name: shelf, in: path, required: true, schema: { type: string } }
        - { name: from, in: query, schema: { type: integer } }
        - { name: many, in: query, schema: { type: integer } }
      responses: { '200': { description: ok } }
`;
    const body = { data: [{ a: 1 }], books: { list: [{ b: 1 }, { b: 2 }], all: 5 } };
    gateway.upstream.answer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    const id = await register({
      ...{ name: 'Lists', spec_url: undefined, spec_raw: described, auth: undefined },
      extensions: [{ extension: 'x-public-data', value: true }],
    });
    const page = await open(`/apis/${id}`);
    await page.getByText('Known after the first response.').waitFor();
    await gateway.call('books', { shelf: 'a' });
    await page.reload();
    await page.getByText(/From a response: the list “data” is named like rows/).waitFor();
    expect(await seriousFaults(page, 'main')).toEqual([]);

    await button(page, 'Correct rows of books').focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Rows of books' });
    await choose(page, 'Where the rows are', 'At a JSON pointer');
    const save = dialog.getByRole('button', { name: 'Save' });
    await save.click();
    await dialog.getByText('Fill in this field.').waitFor();
    await dialog.getByLabel('JSON pointer to the list of rows').fill('/books/~list');
    await dialog.getByLabel('Where the total is').fill('/books/all');
    await choose(page, 'How the next page is requested', 'By offset');
    await choose(page, 'Argument', 'from');
    await choose(page, 'Argument for rows per page', 'many');
    await choose(page, 'Counts from', '1');
    expect(await seriousFaults(page, '[role="dialog"]')).toEqual([]);
    await save.click();
    await dialog.getByText('must be a JSON pointer').waitFor();
    await dialog.getByLabel('JSON pointer to the list of rows').fill('/books/list');
    await save.click();
    await page.getByText('Set by this tenant.').waitFor();

    const { rows } = (await gateway.call('books', { shelf: 'a', many: 2 })).body.result;
    expect(rows).toMatchObject({ returned: 2, total: 5, next: { from: 3 } });
    const { extensions } = (await operator.ask(`GET /tenants/default/registrations/${id}`)).body;
    expect(extensions).toHaveLength(4);
    await page.getByRole('tab', { name: 'Report' }).click();
    await page
      .getByRole('cell', { name: '/books/list · total /books/all · next page from' })
      .waitFor();

    await page.getByRole('tab', { name: 'Tools' }).click();
    await button(page, 'Correct rows of books').click();
    await choose(page, 'Where the rows are', 'Found by the gateway');
    await choose(page, 'How the next page is requested', 'There is only one page');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor();
    await page.getByRole('button', { name: 'Keep editing' }).click();
    await save.click();
    await page.getByText('Known after the first response.').waitFor();
    await gateway.call('books', { shelf: 'b' });
    await page.reload();
    await page.getByRole('cell', { name: /^\/data · total \/books\/all · one page/ }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('texts, the credential and the API itself are changed', async () => {
    const id = await register({ auth: { type: 'bearer', token: 'wrong' } });
    const page = await open(`/apis/${id}`);
    await page.getByRole('button', { name: 'Edit the description of listbooks' }).click();
    await page.getByRole('dialog').getByLabel('What models read').fill('All books of the list.');
    await button(page, 'Save').click();
    await page.getByRole('table').getByText('All books of the list.').waitFor();
    const statusOf = async () => (await gateway.call('listbooks')).body.result.upstream.status;
    expect(await statusOf()).toBe(401);
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByLabel('Token').fill('practice-token');
    expect(await seriousFaults(page, 'main')).toEqual([]);
    await button(page, 'Replace').click();
    await page.getByText('The credential was replaced.').waitFor();
    expect(await statusOf()).toBe(200);
    await page.getByRole('tab', { name: 'Activity' }).click();
    await page.getByText('API changed: auth').waitFor();
    await page.getByRole('cell', { name: 'boss@example.com', exact: true }).first().waitFor();

    await button(page, 'Delete').click();
    const dialog = page.getByRole('dialog');
    const remove = dialog.getByRole('button', { name: 'Delete' });
    expect(await remove.isDisabled()).toBe(true);
    await dialog.getByRole('textbox').fill('Reading List');
    await page.keyboard.press('Enter');
    await page.getByText('No APIs yet').waitFor();
    await page.goto(`${gateway.url}/admin/apis/${id}`);
    await page.getByText('This API was deleted, or belongs to another tenant.').waitFor();
    expect(complaints).toEqual([]);
  });
});
