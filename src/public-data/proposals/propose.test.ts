import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { NO_FACTS, type ProposalDraft } from '../../tools/proposal.ts';
import { PORTAL_FAMILY } from '../tool-domain.ts';
import { portalPageOf, readPortalPage } from './portal-page.ts';
import { meaningOf } from './samples.ts';

type Json = Readonly<Record<string, unknown>>;

const text = (description: string): Json => ({ type: 'string', description, properties: {} });
const object = (properties: Json): Json => ({ type: 'object', properties });

const HEADER = object({ resultCode: text('결과코드'), resultMsg: text('결과메시지') });

/** A response as most institutions describe it: `item` is an object, although it is a list. */
const usual = (row: Json = { name: text('이름') }): Json =>
  object({
    header: HEADER,
    body: object({ items: object({ item: object(row) }), totalCount: text('전체 결과 수') }),
  });

const parameter = (name: string, description = '', more: Json = {}): Json => ({
  name,
  description,
  type: 'string',
  in: 'query',
  ...more,
});

const KEY = parameter('serviceKey', '공공데이터포털에서 받은 인증키', { required: true });

interface Described {
  readonly host?: string;
  readonly schema?: Json;
  readonly parameters?: readonly Json[];
  readonly produces?: readonly string[];
  readonly responses?: Json;
  readonly more?: Json;
  readonly operation?: Json;
}

const documentOf = ({
  host = 'apis.data.go.kr/1234567/ThingService',
  schema = usual(),
  parameters = [KEY],
  produces = ['application/json', 'application/xml'],
  responses = {},
  more = {},
  operation = {},
}: Described = {}): Json => ({
  swagger: '2.0',
  info: { title: '어느기관_물건 조회', version: '1.0.0' },
  host,
  basePath: '',
  paths: {
    '/getThings': {
      get: {
        summary: '물건 조회',
        operationId: 'getThings',
        produces,
        responses: {
          200: { description: '성공', schema: { ...schema, xml: { name: 'response' } } },
          '': { description: '' },
          ...responses,
        },
        ...operation,
      },
      parameters,
    },
  },
  ...more,
});

function propose(described: Described | Json = {}, facts = NO_FACTS): ProposalDraft {
  const document = 'swagger' in described ? described : documentOf(described);
  const draft = PORTAL_FAMILY.propose(document, facts);
  if (!draft) throw new Error('Nothing is proposed.');
  return draft;
}

const proposed = (draft: ProposalDraft, extension: string): unknown =>
  draft.proposals.find((each) => each.extension === extension)?.value;

describe('what is proposed for a description of the portal', () => {
  it('has evidence and its place for everything', () => {
    const draft = propose();
    expect(draft.proposals.map(({ extension, confidence }) => [extension, confidence])).toEqual([
      ['x-public-data', 'high'],
      ['x-credential', 'high'],
      ['x-items', 'medium'],
      ['x-total', 'medium'],
      ['x-success', 'high'],
    ]);
    expect(draft.proposals.every(({ evidence }) => evidence !== '')).toBe(true);
    expect(draft.proposals[1]).toMatchObject({
      operation: 'GET /getThings',
      value: 'serviceKey',
      pointer: '/paths/~1getThings/parameters/0',
      evidence: 'serviceKey: 공공데이터포털에서 받은 인증키',
    });
    expect(draft.dataset).toMatchObject({ title: '어느기관_물건 조회', publisher: '어느기관' });
  });

  it.each([
    ['serviceKey', '', 'serviceKey'],
    ['ServiceKey ', '', 'ServiceKey'],
    ['SERVICEKEY', '', 'SERVICEKEY'],
    ['authKey', '공공데이터포털에서 받은 인증키', 'authKey'],
    ['service_key', '', 'service_key'],
    ['apiKey ', 'API Key', 'apiKey'],
    ['itemKey', '품목 키', undefined],
  ])('finds the key as it is spelled: %j', (name, about, spelled) => {
    const draft = propose({ parameters: [parameter(name, about, { required: true })] });
    expect(proposed(draft, 'x-credential')).toBe(spelled);
    expect(draft.operations[0]?.asks.map((each) => each.name)).toEqual(spelled ? [] : [name]);
  });

  it.each([
    [{ host: 'https://api.odcloud.kr/api/ThingSvc' }, 'https://api.odcloud.kr'],
    [{ host: 'API.odcloud.kr:443/api', schemes: ['http'] }, 'http://api.odcloud.kr:443'],
    [{ servers: [{ url: 'api.odcloud.kr/api/ThingSvc' }] }, 'https://api.odcloud.kr'],
    [{ servers: [{ url: '//api.odcloud.kr/api' }] }, 'https://api.odcloud.kr'],
    [
      {
        servers: [
          {
            url: '{scheme}://{host}/api',
            variables: { scheme: { default: 'http' }, host: { default: 'api.odcloud.kr' } },
          },
        ],
      },
      'http://api.odcloud.kr',
    ],
  ])('knows the service for files by its host, however it is written: %j', (place, origin) => {
    const { host: _, ...document } = documentOf({
      schema: object({
        matchCount: text(''),
        data: { type: 'array', items: object({ a: text('') }) },
      }),
    });
    const draft = propose({ ...document, ...place });
    expect(draft).toMatchObject({ family: 'data.go.kr', origin });
    expect(proposed(draft, 'x-items')).toBe('/data');
    const { paths, ...rest } = { ...document, ...place } as { paths: object; servers?: unknown };
    if (!rest.servers) return;
    const items = Object.entries(paths).map(([path, item]) => [path, { ...item, ...rest }]);
    const atPaths = propose({ swagger: '2.0', paths: Object.fromEntries(items) });
    expect(atPaths.family).toBe('data.go.kr');
  });

  it('takes the key from the schemes of the document, and never a header', () => {
    const more = {
      securityDefinitions: {
        a: { type: 'apiKey', in: 'header', name: 'Authorization' },
        b: { type: 'apiKey', in: 'query', name: 'serviceKey' },
      },
    };
    expect(proposed(propose({ parameters: [], more }), 'x-credential')).toBe('serviceKey');
    const header = { securityDefinitions: { a: more.securityDefinitions.a } };
    expect(proposed(propose({ parameters: [], more: header }), 'x-credential')).toBeUndefined();
  });

  it.each([
    ['names it', 'dataType', '요청자료형식(XML/JSON)', false, 'json xml', 'JSON', 'high'],
    ['in lower case', '_type', 'xml, json', false, 'json xml', 'json', 'high'],
    ['says nothing', 'returnType', '응답의 데이터 타입', false, 'json xml', 'JSON', 'medium'],
    ['is only about XML', '_type', '형태', true, 'xml', 'xml', 'medium'],
    ['may be left out', '_type', '형태', false, 'xml', undefined, undefined],
    ['is something else', 'type', '타입', false, 'json xml', undefined, undefined],
  ])('chooses the format where %s', (_case, name, about, required, kinds, format, confidence) => {
    const produces = kinds.split(' ').map((kind) => `application/${kind}`);
    const parameters = [KEY, parameter(name, about, { required })];
    const found = propose({ parameters, produces }).proposals.find(
      ({ extension }) => extension === 'x-fixed',
    );
    expect([found?.value, found?.confidence]).toEqual([format && { [name]: format }, confidence]);
  });

  const row = { name: text('이름') };
  it.each<[string, Json, string, string | undefined]>([
    [
      'inside response',
      object({ response: usual() }),
      '/response/body/items/item',
      '/response/body/totalCount',
    ],
    ['without response', usual(), '/response/body/items/item', '/response/body/totalCount'],
    [
      'a list',
      object({ header: HEADER, body: object({ items: { type: 'array', items: object(row) } }) }),
      '/response/body/items',
      undefined,
    ],
    [
      'directly in body',
      object({ header: HEADER, body: object({ item: object(row) }) }),
      '/response/body/item',
      undefined,
    ],
    [
      'in capitals',
      object({
        HEADER: object({ RESULT_CODE: text('') }),
        BODY: object({ ITEMS: object({ ITEM: object(row) }) }),
        totalCount: text(''),
      }),
      '/response/BODY/ITEMS/ITEM',
      '/response/totalCount',
    ],
    [
      'a list of its own name',
      object({
        resultCode: text(''),
        list_total_count: text(''),
        list: { type: 'array', items: object(row) },
      }),
      '/response/list',
      '/response/list_total_count',
    ],
    [
      'columns without a place',
      object({ resultCode: text(''), name: text('') }),
      '/response/body/items/item',
      '/response/body/totalCount',
    ],
  ])('finds rows and total: %s', (_case, schema, rows, total) => {
    const draft = propose({ schema, produces: ['application/xml'] });
    expect([proposed(draft, 'x-items'), proposed(draft, 'x-total')]).toEqual([rows, total]);
  });

  it('leaves the root of XML out where JSON is asked for', () => {
    const schema = object({ RESULT: HEADER, LIST: { type: 'array', items: object(row) } });
    const parameters = [KEY, parameter('dataType', 'JSON')];
    const draft = propose({ schema, parameters });
    expect(proposed(draft, 'x-items')).toBe('/LIST');
    expect(proposed(draft, 'x-success')).toEqual({
      code: '/RESULT/resultCode',
      message: '/RESULT/resultMsg',
    });
  });

  it('takes the meaning of codes from the table of the document, and leaves out what is unclear', () => {
    const responses = {
      0: { description: '정상' },
      2: { description: 'Failed - ServiceKey Empty - 인증키 값이 없는 경우' },
      3: { description: 'Failed - ServiceKey Invalid - 인증키 값이 올바르지 않는 경우' },
      5: { description: 'Failed - No more Data - 조회데이터가 없는 경우' },
      6: { description: 'Failed - Date parameter Invalid' },
      77: { description: '예비' },
      500: { description: 'HTTP 오류' },
    };
    expect(proposed(propose({ responses }), 'x-success')).toEqual({
      code: '/response/header/resultCode',
      message: '/response/header/resultMsg',
      values: ['0'],
      empty: ['03', '5'],
      causes: { 2: 'operator_key', 3: 'operator_key', 5: 'no_data', 6: 'arguments' },
    });
  });

  it('fills in pages and the values of the page of the dataset', () => {
    const parameters = [
      KEY,
      parameter('pageNo', '페이지번호', { required: true }),
      parameter('numOfRows', '한 페이지 결과 수', { required: true }),
      parameter('areaNo', '지점', { required: true }),
      parameter('extra', '기타', { required: true }),
    ];
    const shown = (paramtrNm: string, paramtrBassValue: string) => ({
      paramtrNm,
      paramtrBassValue,
    });
    const more = {
      swaggerOprtinVOs: [
        { operationId: 'other', reqList: [shown('areaNo', '1')] },
        {
          operationId: 'getThings',
          reqList: [
            shown('serviceKey', '인증키'),
            shown('areaNo', '1100000000'),
            shown('extra', '-'),
          ],
        },
      ],
    };
    const draft = propose({ parameters, more });
    expect(proposed(draft, 'x-initial')).toEqual({ pageNo: '1', numOfRows: '10' });
    expect(proposed(draft, 'x-sample')).toEqual({ areaNo: '1100000000' });
    expect(draft.operations).toEqual([
      {
        ...{ operation: 'GET /getThings', title: '물건 조회' },
        asks: [{ name: 'extra', description: '기타', example: null }],
      },
    ]);
  });

  it('says of what a test needs what the description says', () => {
    const asked = (name: string, about: string, more: object) =>
      parameter(name, about, { required: true, ...more });
    const draft = propose({
      parameters: [
        asked('day', '날짜 (YYYYMMDD)', { example: '20260101' }),
        asked('kind', '종류', { schema: { type: 'string', enum: ['a', 'b'] } }),
      ],
    });
    expect(draft.operations[0]?.asks).toEqual([
      { name: 'day', description: '날짜 (YYYYMMDD) 20260101', example: '20260101' },
      { name: 'kind', description: '종류 a b', example: 'a' },
    ]);
  });

  it.each([
    ['기간검색 시작 날짜(YYYYMM)', 'startYm', 'last-month-kst'],
    ['조회일자 년월일(yyyymmdd)', 'tm', 'today-kst'],
    ['시작일 (YYYYMMDD)', 'fromDate', 'days-ago-30-kst'],
    ['연도(YYYY)', 'year', 'year-kst'],
    ['일자 YYYY-MM-DD', 'startDate', 'days-ago-30-kst-dashed'],
  ])('offers dates, off by default: %s', (description, name, value) => {
    const draft = propose({ parameters: [KEY, parameter(name, description)] });
    const found = draft.proposals.find(({ extension }) => extension === 'x-default');
    expect([found?.value, found?.confidence]).toEqual([{ [name]: value }, 'low']);
  });

  it.each([
    ['LAWD_CD', '지역코드', '', 'district'],
    ['sigunguCd', '시군구코드', '11680', 'district'],
    ['sigunguCd', '시군구코드', '680', undefined],
    ['areaCd', '지역코드', '99999', undefined],
    ['bjdCode', '법정동 코드 (예: 1168010300)', '', 'legal_dong'],
    ['stnIds', '종관기상관측 지점 번호', '', 'asos_station'],
    ['stnId', '지점 번호', '108', undefined],
  ])('finds codes of places by their values: %s %s %s', (name, about, sample, kind) => {
    const shown = [{ paramtrNm: name, paramtrBassValue: sample }];
    const more = { swaggerOprtinVOs: [{ operationId: 'getThings', reqList: shown }] };
    const draft = propose({ parameters: [KEY, parameter(name, about)], more });
    expect(proposed(draft, 'x-code-kind')).toEqual(kind && { [name]: kind });
  });

  it('offers the newest revision of a file, with a name of the dataset', () => {
    const revision = (date: string, id: string) => ({
      [`/15093916/v1/uddi:${id}`]: {
        get: {
          operationId: `getuddi:${id}`,
          summary: `어느공단_지원현황_${date}`,
          parameters: [],
          produces: ['application/json'],
          responses: { 200: { description: '', schema: object({ data: text('') }) } },
        },
      },
    });
    const draft = propose({
      ...documentOf({ host: 'api.odcloud.kr' }),
      paths: {
        ...revision('20201231', 'a'),
        ...revision('20221231', 'b'),
        ...revision('20211231', 'c'),
      },
    });
    const excluded = draft.proposals.filter(({ extension }) => extension === 'x-exclude');
    expect(excluded.map(({ operation }) => operation?.slice(-1))).toEqual(['c', 'a']);
    expect(proposed(draft, 'x-tool-name')).toBe('dataset_15093916');
    expect(proposed(draft, 'x-items')).toBe('/data');
    expect(draft.dataset.url).toBe('https://www.data.go.kr/data/15093916/openapi.do');
  });

  it('says why there is nothing to propose', () => {
    const facts = {
      ...NO_FACTS,
      id: '15152558',
      url: 'https://www.data.go.kr/data/15152558/openapi.do',
    };
    const empty = { swagger: '2.0', info: {}, host: '', paths: {} };
    expect(propose(empty, facts).problems).toMatchObject([
      { code: 'no_operations', url: facts.url },
    ]);
    expect(propose(empty)).toMatchObject({ family: null, problems: [{ code: 'no_operations' }] });
    const noHost = propose({ ...documentOf(), host: '' }, facts);
    expect([noHost.problems[0]?.code, noHost.proposals]).toEqual(['no_host', []]);
  });

  it.each([
    {
      openapi: '3.1.0',
      info: { title: 'Pets' },
      servers: [{ url: 'https://api.example.com' }],
      paths: { '/pets': { get: {} } },
    },
    { swagger: '2.0', host: 'data.go.kr.evil.example', paths: { '/a': { get: {} } } },
    { swagger: '2.0', host: 'notapis.data.go.kr', paths: { '/a': { get: {} } } },
    null,
    [],
    'text',
  ])('proposes nothing for a description of another publisher: %j', (document) => {
    expect(PORTAL_FAMILY.propose(document, NO_FACTS)).toBeUndefined();
  });

  it('reads whatever a document is', () => {
    const strange = fc.jsonValue({ maxDepth: 6 });
    fc.assert(
      fc.property(strange, strange, strange, (schema, parameters, responses) => {
        const described = documentOf({
          schema: Object(schema) as Json,
          responses: Object(responses) as Json,
        });
        const document = {
          ...described,
          paths: { '/a': { get: { ...Object(responses), responses }, parameters } },
        };
        expect(PORTAL_FAMILY.propose(document, NO_FACTS)?.family).toBe('data.go.kr');
        expect(PORTAL_FAMILY.propose(described, NO_FACTS)?.family).toBe('data.go.kr');
        PORTAL_FAMILY.correct(responses, [{ operation: null, extension: 'x-items', value: '/a' }]);
      }),
    );
  });
});

it.each<[string, ReturnType<typeof meaningOf>]>([
  ['정상', 'ok'],
  ['NORMAL SERVICE.', 'ok'],
  ['OpenAPI 요청시 ServiceKey 파라미터가 없음', 'operator_key'],
  ['요청하신 OpenAPI의 필수 파라미터가 누락되었습니다.', 'arguments'],
  ['등록되지 않은 인증키 입니다.', 'operator_key'],
  ['등록되지 않은 서비스 입니다.', 'upstream'],
  ['종료된 서비스 입니다.', 'upstream'],
  ['트래픽 허용 횟수를 초과하였습니다.', 'quota'],
  ['초당 요청 한도 초과', 'rate'],
  ['SERVICE ACCESS DENIED ERROR', 'not_approved'],
  ['NODATA_ERROR', 'no_data'],
  ['데이터없음 에러', 'no_data'],
  ['HTTP 에러', 'upstream'],
  ['등록되지 않은 IP', 'operator_key'],
  ['활용기간 만료', 'operator_key'],
  ['인증 실패', 'operator_key'],
  ['인증키 오류', 'operator_key'],
  ['인증키 미입력', 'operator_key'],
  ['인증정보 없음', 'operator_key'],
  ['인증되지 않은 사용자', 'operator_key'],
  ['미등록 키', 'operator_key'],
  ['AUTH_FAIL', 'operator_key'],
  ['인증서버 오류', 'upstream'],
  ['키워드 오류', undefined],
  ['서비스키 값이 틀린 경우: 인증에 실패', 'operator_key'],
  ['SERVICE_KEY_IS_NOT_REGISTERED_ERROR', 'operator_key'],
  ['SERVICE KEY IS NOT REGISTERED', 'operator_key'],
  ['LIMITED_NUMBER_OF_SERVICE_REQUESTS_EXCEEDS_ERROR', 'quota'],
  ['예비', undefined],
])('understands %s', (words, meaning) => {
  expect(meaningOf(words)).toBe(meaning);
});

describe('the page of a dataset', () => {
  test.each([
    ['15085288', '15085288'],
    [' 15085288 ', '15085288'],
    ['https://www.data.go.kr/data/15085288/openapi.do', '15085288'],
    ['https://www.data.go.kr/en/data/15085288/openapi.do?x=1', '15085288'],
    ['data.go.kr/data/15085288/fileData.do#tab', '15085288'],
    ['https://www.data.go.kr.evil.example/data/15085288/openapi.do', undefined],
    ['https://example.com/data/15085288/openapi.do', undefined],
    ['1234', undefined],
    ['javascript:alert(1)', undefined],
  ])('is found from %j', (pasted, id) => {
    const page = id && `https://www.data.go.kr/data/${id}/openapi.do`;
    expect(portalPageOf(pasted)).toBe(page);
  });

  const URL = 'https://www.data.go.kr/data/15085288/openapi.do';
  const page = (script: string, body = ''): string =>
    `<!doctype html><html><head><title>어느기관_물건 조회 | 공공데이터포털</title></head><body>${body}<script>${script}</script></body></html>`;

  it('has its description in a literal, with escapes', () => {
    const json = JSON.stringify({ swagger: '2.0', info: { description: `a\n\`b\` $\{c} \\ "d"` } });
    const literal = json.replace(/[\\`]|\$\{/g, (found) => `\\${found}`);
    const reading = readPortalPage(page(`var swaggerJson = \`${literal}\`;`), URL);
    if (reading?.kind !== 'description') throw new Error('There is no description.');
    expect(JSON.parse(reading.text)).toEqual(JSON.parse(json));
    expect(reading.facts).toMatchObject({ id: '15085288', title: '어느기관_물건 조회', url: URL });
  });

  it('names the address of its description', () => {
    const script = "var swaggerUrl = 'https://infuser.odcloud.kr/oas/docs?namespace=15085288/v1';";
    expect(readPortalPage(page(`${script} var swaggerJson = \`\`;`), URL)).toMatchObject({
      kind: 'address',
      url: 'https://infuser.odcloud.kr/oas/docs?namespace=15085288/v1',
    });
  });

  it('says what else it has', () => {
    const table = page(
      '',
      '<table><tr><th>제공기관</th><td>어느기관</td></tr><tr><th>신청가능 트래픽</th><td>개발계정 : 10,000 / 운영계정 : 활용사례 등록시</td></tr><tr><th>이용허락범위</th><td>제한 없음</td></tr></table>',
    );
    expect(readPortalPage(table, URL)).toMatchObject({
      kind: 'problem',
      problem: { code: 'table_only', url: URL },
      facts: { publisher: '어느기관', dailyCalls: 10_000, licence: '제한 없음' },
    });
    const link = page(
      '',
      '<td>API 유형</td><td>LINK</td><p>서비스URL <a href="https://open.example.kr/api">바로가기</a></p>',
    );
    expect(readPortalPage(link, URL)).toMatchObject({
      problem: { code: 'link_elsewhere', url: 'https://open.example.kr/api' },
    });
  });

  const ELSEWHERE = 'https://open.example.kr/api?a=1&b=2';
  it.each([
    [
      'a button with a script',
      `<th>API 유형</th><td>LINK</td><button onclick="fn_open('${ELSEWHERE}')">바로가기</button>`,
      ELSEWHERE,
    ],
    [
      'an address as text',
      `<th>API 유형</th><th>데이터포맷</th><td>링크</td><td>XML</td><th>서비스URL</th><td>${ELSEWHERE}</td>`,
      ELSEWHERE,
    ],
    [
      'an attribute without quotes',
      `<dt>제공형태</dt><dd>Link</dd><dt>URL</dt><dd><a target=_blank href=${ELSEWHERE.replace('&', '&amp;')}>열기</a></dd>`,
      ELSEWHERE,
    ],
    ['no address', '<th>API 유형</th><td>LINK</td><a href="/main.do">바로가기</a>', URL],
  ])('leads elsewhere by %s', (_case, cells, url) => {
    expect(readPortalPage(page('', cells), URL)).toMatchObject({
      problem: { code: 'link_elsewhere', url },
    });
  });

  it('leads nowhere only because it has links', () => {
    const rest =
      '<th>API 유형</th><td>REST</td><a class="link" href="https://other.example.kr">x</a>';
    expect(readPortalPage(page('', rest), URL)).toMatchObject({
      problem: { code: 'table_only', url: URL },
    });
  });

  it('is that of the portal alone, and may be anything', () => {
    expect(readPortalPage(page(''), 'https://example.com/')).toBeUndefined();
    expect(readPortalPage(page('var swaggerJson = `{"a":'), URL)).toMatchObject({
      kind: 'problem',
    });
    const hostile = `${'var swaggerJson = `'.repeat(5000)}${'<title>'.repeat(5000)}${'API 유형'.repeat(5000)}`;
    expect(readPortalPage(hostile, URL)).toMatchObject({ kind: 'problem' });
    fc.assert(
      fc.property(fc.string(), (html) => {
        readPortalPage(`data.go.kr ${html}`, null);
      }),
    );
  });
});

describe('what a response corrects', () => {
  const items = { operation: 'GET /a', extension: 'x-items', value: '/response/body/items/item' };
  it.each<[unknown, string | undefined]>([
    [{ response: { body: { item: { a: '1' } } } }, '/response/body/item'],
    [{ response: { body: { items: { item: [{ a: 1 }] } } } }, undefined],
    [{ resultCode: '00', list: [{ a: 1 }, { a: 2 }] }, '/list'],
    [{ response: { header: { resultCode: '00' }, body: { items: { item: [] } } } }, undefined],
    [{ result: { resultCode: '03', resultMsg: 'No data' } }, undefined],
    [
      { thingList: { resultCode: '00', totalCount: '2', thing: [{ a: 1 }, { a: 2 }] } },
      '/thingList/thing',
    ],
    [{ thingList: { resultCode: '00', thing: { a: 1 } } }, '/thingList/thing'],
    [
      { response: { body: { items: { item: { item: [{ a: 1 }], numOfRows: 5 } } } } },
      `${items.value}/item`,
    ],
    [{ response: { body: { items: { item: [{ a: 1 }] }, list: [{ b: 1 }] } } }, undefined],
    [{ text: 'x' }, undefined],
    [null, undefined],
  ])('%j', (response, value) => {
    expect(PORTAL_FAMILY.correct(response, [items])[0]?.value).toBe(value);
  });
});
