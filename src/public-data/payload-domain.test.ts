import { describe, expect, it } from 'vitest';
import type { PayloadShape } from '../tools/model.ts';
import { createPayloadReader } from '../upstreams/payload/read-payload.ts';
import { PUBLIC_DATA_PAYLOADS } from './payload-domain.ts';

const readPayload = createPayloadReader(PUBLIC_DATA_PAYLOADS);

/** Without an `x-success`, as a registered API may be. */
const PLAIN: PayloadShape = {
  items: null,
  total: null,
  success: null,
  itemWrapper: null,
  columns: null,
  asOf: null,
};

const ruled = (envelope: string): PayloadShape => ({
  ...PLAIN,
  items: `${envelope}/body/items/item`,
  success: {
    code: [`${envelope}/header/resultCode`],
    values: [],
    empty: ['03'],
    present: null,
    failure: null,
    message: null,
    causes: {},
  },
});

const SHAPES = [PLAIN, ruled('/response'), ruled('')];

const read = (body: unknown, shape = SHAPES[1] ?? PLAIN, key?: string) =>
  readPayload({
    status: 200,
    contentType: '',
    body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    shape,
    isPublicData: true,
    hidden:
      key === undefined
        ? undefined
        : [{ value: key, name: 'serviceKey', in: 'query' as const, prefix: '' }],
  });

const FAULT = { errMsg: 'SERVICE ERROR', returnAuthMsg: 'DEADLINE_HAS_EXPIRED_ERROR' };
const CODED = { ...FAULT, returnReasonCode: '31' };
const inXml = (fault: object, prefix = '') =>
  Object.entries(fault)
    .map(([name, text]) => `<${prefix}${name}>${text}</${prefix}${name}>`)
    .join('');

describe('a refusal by the portal', () => {
  it.each([
    ['in its own envelope', { OpenAPI_ServiceResponse: { cmmMsgHeader: CODED } }],
    ['in the envelope of the services', { response: { cmmMsgHeader: CODED } }],
    ['without an envelope', { cmmMsgHeader: CODED }],
    [
      'in XML in the envelope of the services',
      `<response><cmmMsgHeader>${inXml(CODED)}</cmmMsgHeader></response>`,
    ],
    [
      'with prefixed tags',
      `<?xml version="1.0"?><n:OpenAPI_ServiceResponse xmlns:n="urn:x"><n:cmmMsgHeader>${inXml(CODED, 'n:')}</n:cmmMsgHeader></n:OpenAPI_ServiceResponse>`,
    ],
    [
      'with prefixed tags and without an envelope',
      `<n:cmmMsgHeader xmlns:n="urn:x">${inXml(CODED, 'n:')}</n:cmmMsgHeader>`,
    ],
    ['without a code', { OpenAPI_ServiceResponse: { cmmMsgHeader: FAULT } }],
    ['with an empty code', { cmmMsgHeader: { ...FAULT, returnReasonCode: '' } }],
    [
      'in XML without a code',
      `<response><cmmMsgHeader>${inXml(FAULT)}</cmmMsgHeader></response>\0`,
    ],
  ])('is recognised %s', (_, body) => {
    for (const shape of SHAPES) {
      expect(read(body, shape)).toMatchObject({
        ok: false,
        cause: 'operator_key',
        code: '31',
        message: 'DEADLINE_HAS_EXPIRED_ERROR',
        publicData: { code: '31', message: 'Expired service key' },
      });
    }
  });

  it.each([
    ['SERVICE_KEY_IS_NOT_REGISTERED_ERROR', '30', 'operator_key'],
    ['SERVICE KEY IS NOT REGISTERED ERROR.', '30', 'operator_key'],
    ['LIMITED_NUMBER_OF_SERVICE_REQUESTS_EXCEEDS_ERROR', '22', 'quota'],
    ['UNREGISTERED_IP_ERROR', '32', 'operator_key'],
    ['NO_OPENAPI_SERVICE_ERROR', '12', 'upstream'],
    ['NO_MANDATORY_REQUEST_PARAMETERS_ERROR1(signguCd)', '11', 'arguments'],
    ['INVALID_REQUEST_PARAMETER_ERROR', '10', 'arguments'],
    ['SOMETHING_ELSE_ERROR', undefined, undefined],
  ])('without a code is known by its name: %s', (returnAuthMsg, code, cause) => {
    for (const shape of SHAPES) {
      const payload = read({ OpenAPI_ServiceResponse: { cmmMsgHeader: { returnAuthMsg } } }, shape);
      expect(payload).toMatchObject({ ok: false, message: returnAuthMsg });
      expect([payload.code, payload.cause]).toEqual([code, cause]);
    }
  });

  it.each([
    ['99', 'SERVICE KEY IS NOT REGISTERED ERROR.'],
    ['01', '인증 실패'],
    ['02', '인증키 오류입니다.'],
  ])(
    'by a service is known by its words, whatever its code means elsewhere: %s %s',
    (code, words) => {
      const { success, ...shape } = ruled('/response');
      const causes = { '30': 'no_data', '99': 'upstream' } as const;
      const body = { response: { header: { resultCode: code, resultMsg: words } } };
      const payload = read(body, { ...shape, success: success && { ...success, causes } });
      expect(payload).toMatchObject({ ok: false, cause: 'operator_key', message: words });
      expect(payload.isTransient).toBeUndefined();
    },
  );

  it('is a success if its header says so', () => {
    for (const fault of [{ returnReasonCode: '00' }, { returnAuthMsg: 'NORMAL_SERVICE' }]) {
      expect(read({ response: { cmmMsgHeader: fault } }, PLAIN)).toMatchObject({ ok: true });
    }
  });
});

describe('a response with prefixed tags', () => {
  it('has its rows where the preset expects them', () => {
    const xml =
      '<ns2:response xmlns:ns2="urn:x"><header><resultCode>00</resultCode></header><ns2:body><items><ns2:item><a x:b="1">2</a></ns2:item></items></ns2:body></ns2:response>';
    const payload = read(xml);
    expect(payload).toMatchObject({ ok: true, rows: 1 });
    expect(JSON.parse(payload.json.toString()).response.body.items.item).toEqual([
      { a: { '@x:b': '1', '#text': '2' } },
    ]);
  });

  it('keeps them if it is no envelope of the portal', () => {
    expect(read('<n:a xmlns:n="urn:x"><n:b/></n:a>', PLAIN).json.toString()).toBe(
      '{"n:a":{"n:b":""}}',
    );
  });
});

describe('a result code', () => {
  const sent = (resultCode: unknown) => ({
    response: { header: { resultCode }, body: { items: { item: [{ a: 1 }] } } },
  });

  it.each([0, '0', '00', '000', '0000', ' 00 '])('is a success: %j', (code) => {
    for (const shape of SHAPES.slice(0, 2)) {
      expect(read(sent(code), shape)).toMatchObject({ ok: true, publicData: { code: '00' } });
    }
    expect(read(sent(code)).rows).toBe(1);
    expect(read(sent(code))).not.toHaveProperty('cause');
  });

  it('of no data is an empty success with its message', () => {
    const header = { resultCode: '03', resultMsg: 'NODATA_ERROR' };
    expect(read({ response: { header } })).toMatchObject({
      ok: true,
      rows: 0,
      cause: 'no_data',
      code: '03',
      message: 'NODATA_ERROR',
    });
  });
});

describe('a response that repeats the service key', () => {
  const key = 'aB3+/def8Kx==Qw9';
  const spelled = [key, encodeURIComponent(key), key.replaceAll('+', '%2b')];

  it.each(spelled)('does not show it as %s', (text) => {
    const rows = [{ url: `https://x.example/?serviceKey=${text}` }];
    const good = { response: { header: { resultCode: 0 }, body: { items: { item: rows } } } };
    const xml = `<response><header><resultCode>00</resultCode></header><body><items><item><url>?k=${text}&x=1&nbsp;</url></item></items></body></response>`;
    const refused = { response: { header: { resultCode: '30', resultMsg: `key ${text}` } } };
    for (const body of [good, xml, refused, `Forbidden: ${text}`]) {
      const payload = read(body, ruled('/response'), key);
      const shown = JSON.stringify([payload.json.toString(), payload.message]);
      expect(shown).toContain('REDACTED');
      for (const spelling of spelled) expect(shown).not.toContain(spelling);
    }
    expect(read(good, ruled('/response'), key)).toMatchObject({ ok: true, rows: 1 });
  });
});
