import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ADMIN_ENV, type AdminClient, signIn } from '../support/admin-client.ts';
import { chromiumAvailable } from '../support/chromium.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { seriousFaults } from '../support/serious-faults.ts';
import { openPage, useBrowser } from './use-browser.ts';

const text = (description: string) => ({ type: 'string', description, properties: {} });
const object = (properties: object) => ({ type: 'object', properties });
const parameter = (name: string, required: boolean, description = '') => ({
  name,
  in: 'query',
  schema: { type: 'string' },
  required,
  description,
});
const SCHEMA = object({
  header: object({ resultCode: text('결과코드'), resultMsg: text('결과메시지') }),
  body: object({ items: object({ item: object({ name: text('이름') }) }) }),
});

/** A description in the form of the portal, whose first server is one of this test. */
const documentAt = (url: string): string =>
  JSON.stringify({
    openapi: '3.0.0',
    info: { title: '어느기관_물건 조회 서비스', version: '1.0.0' },
    servers: [{ url }, { url: 'https://apis.data.go.kr/1234567/ThingService' }],
    paths: {
      '/getThings': {
        get: {
          summary: '물건 조회',
          operationId: 'getThings',
          responses: {
            5: { description: '조회데이터가 없는 경우' },
            200: { description: '성공', content: { 'application/json': { schema: SCHEMA } } },
          },
        },
        parameters: [
          parameter('serviceKey', true, '인증키'),
          parameter('pageNo', true),
          parameter('area', true, '지역'),
        ],
      },
    },
  });

describe.runIf(chromiumAvailable)('adding a dataset in a browser', () => {
  let gateway: TestGateway;
  let person: AdminClient;
  const complaints: string[] = [];
  afterEach(() => expect(complaints.splice(0)).toEqual([]));
  const browser = useBrowser();
  let asked: URLSearchParams[] = [];

  beforeAll(async () => {
    gateway = await startTestGateway({
      env: {
        ...ADMIN_ENV,
        ALLOW_PRIVATE_UPSTREAMS: 'true',
        ENCRYPTION_KEY: Buffer.alloc(32, 'k').toString('base64'),
      },
    });
    person = await signIn(gateway);
    gateway.upstream.answer(({ url }, response) => {
      asked.push(new URL(url, 'http://upstream').searchParams);
      response.setHeader('content-type', 'application/json').end(
        JSON.stringify({
          response: {
            header: { resultCode: '0', resultMsg: 'OK' },
            body: { item: [{ name: '하나' }, { name: '둘' }], totalCount: 12 },
          },
        }),
      );
    });
  });
  afterAll(() => gateway?.close());

  const open = (options = {}): Promise<Page> =>
    openPage(browser(), `${gateway.url}/admin/apis/dataset`, {
      who: person,
      complaints,
      ...options,
    });

  const paste = async (page: Page, names: { other: string; text: string; find: string }) => {
    await page.getByRole('button', { name: names.other }).click();
    await page.getByLabel(names.text).fill(documentAt(gateway.upstream.url));
    await page.getByRole('button', { name: names.find, exact: true }).click();
  };

  /** Drops a file on the page, as a person does from a folder. */
  const drop = async (page: Page, name: string, content: string | Buffer) => {
    const bytes = JSON.stringify([...Buffer.from(content)]);
    const transfer = await page.evaluateHandle(`(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([Uint8Array.from(${bytes})], ${JSON.stringify(name)}));
      return transfer;
    })()`);
    const target = page.getByRole('region', { name: 'File' });
    await target.dispatchEvent('drop', { dataTransfer: transfer });
  };

  test('a person drops a file, stores the key once, allows the origin, tests, and registers', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Find', exact: true }).click();
    await page.getByText('Enter a number, an address or a description').waitFor();
    await page.getByLabel('Number, page or address').fill('a number');
    await page.getByRole('button', { name: 'Find', exact: true }).click();
    await page.getByText('Enter a number, an address or a description').waitFor();
    await drop(page, 'manual.zip', Buffer.from([0x50, 0x4b, 0xff, 0xfe]));
    await page.getByText('This file is not text.').waitFor();
    await drop(page, 'thing.json', documentAt(gateway.upstream.url));
    await page.getByRole('heading', { name: 'Proposal' }).waitFor();
    await page.getByRole('textbox', { name: 'Provider key', exact: true }).fill('a key');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The provider key of your tenant is stored.').waitFor();
    await page.getByRole('button', { name: /물건 조회/ }).click();
    await page.getByText('/response/body/items/item').waitFor();
    const call = page.getByRole('button', { name: 'Call', exact: true });
    await call.click();
    await page.getByText('Required.').waitFor();
    expect(await page.getByText('지역', { exact: true }).isVisible()).toBe(true);
    await page.getByText('Filled in for you: pageNo=1').waitFor();
    asked = [];
    await page.getByRole('textbox', { name: 'area' }).fill('11');
    await call.click();
    await page.getByText('Not sent: the provider key may not be used here').waitFor();
    expect(await page.getByText('The API refused').count()).toBe(0);
    expect(asked).toEqual([]);
    const { origin } = new URL(gateway.upstream.url);
    const allow = { name: `Allow ${origin}` };
    await page.getByRole('button', allow).click();
    await page.getByRole('dialog').getByRole('button', allow).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await call.click();
    await page.getByText('It works', { exact: true }).waitFor();
    await page.getByText('Corrected: Path to the rows is /response/body/item.').waitFor();
    await page.getByRole('cell', { name: '하나' }).waitFor();
    expect(asked.at(-1)?.get('serviceKey')).toBe('a key');
    expect(JSON.stringify(await seriousFaults(page))).toEqual('[]');
    await page.getByRole('button', { name: 'Register', exact: true }).click();
    await page.getByText('The tools are live').waitFor();
    asked = [];
    const { body } = await gateway.call('getthings', { area: '11' });
    expect(body).toMatchObject({
      result: { data: { response: { body: { item: [{ name: '하나' }, { name: '둘' }] } } } },
    });
  });

  test('says what is lost while the portal is away, and what works meanwhile', async () => {
    const page = await open();
    await page.route('**/proposals', (route) =>
      route.fulfill({
        status: 502,
        headers: { 'x-error-code': 'upstream_unreachable' },
        json: { error: 'Bad Gateway', message: 'www.data.go.kr does not answer.' },
      }),
    );
    await page.getByLabel('Number, page or address').fill('15085288');
    await page.getByRole('button', { name: 'Find', exact: true }).click();
    const alert = page.getByRole('alert');
    await expect.poll(() => alert.innerText()).toContain('The page cannot be reached');
    expect(await alert.innerText()).toMatch(
      /drop the file here[\s\S]*the licence and the daily quota/,
    );
    expect(JSON.stringify(await seriousFaults(page))).toEqual('[]');
    await page.unroute('**/proposals');
    await drop(page, 'thing.json', documentAt(gateway.upstream.url));
    await page.getByRole('heading', { name: 'Proposal' }).waitFor();
    expect(await alert.count()).toBe(0);
  });

  test('works in Korean, on a telephone and in the dark', async () => {
    const page = await open({
      locale: 'ko-KR',
      viewport: { width: 390, height: 844 },
      colorScheme: 'dark',
    });
    await page.getByLabel('번호, 페이지 또는 주소').fill('https://portal.invalid/data/1');
    await page.getByRole('button', { name: '찾기', exact: true }).click();
    await page.getByText('페이지에 연결할 수 없습니다').waitFor();
    await paste(page, { other: '명세를 직접', text: '명세 또는', find: '찾기' });
    await page.getByRole('heading', { name: '제안' }).waitFor();
    await page.getByRole('button', { name: /물건 조회/ }).click();
    await page.getByText('행 경로').waitFor();
    expect(Number(await page.evaluate('document.documentElement.scrollWidth'))).toBe(390);
    expect(JSON.stringify(await seriousFaults(page))).toEqual('[]');
  });

  test('says why there is nothing to register', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Paste the description' }).click();
    await page.getByLabel('Description, or').fill('<html>data.go.kr</html>');
    await page.getByRole('button', { name: 'Find', exact: true }).click();
    await page.getByText('The page has no description').waitFor();
  });
});
