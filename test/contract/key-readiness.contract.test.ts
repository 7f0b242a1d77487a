import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Secret } from '../../src/platform/kernel/secret.ts';
import { ADMIN_ENV, type AdminClient, signIn } from '../support/admin-client.ts';
import { GATEWAY_BACKENDS, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { verifies } from './requirements.ts';

const PORTAL = 'PUBLIC_DATA_SERVICE_KEY';

interface Sent {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

const xml = (body: string, status = 200): Sent => ({ status, type: 'application/xml', body });
const json = (body: unknown, status = 200): Sent => ({
  ...{ status, type: 'application/json' },
  body: JSON.stringify(body),
});
const text = (body: string, status = 200): Sent => ({ status, type: 'text/plain', body });
/** A refusal by the portal itself. */
const fault = (code: string, name: string, status = 200): Sent =>
  xml(
    `<OpenAPI_ServiceResponse><cmmMsgHeader><errMsg>SERVICE ERROR</errMsg><returnAuthMsg>${name}</returnAuthMsg><returnReasonCode>${code}</returnReasonCode></cmmMsgHeader></OpenAPI_ServiceResponse>`,
    status,
  );
const nameOnly = (name: string): Sent =>
  xml(
    `<OpenAPI_ServiceResponse><cmmMsgHeader><errMsg>${name}</errMsg></cmmMsgHeader></OpenAPI_ServiceResponse>`,
  );
/** A refusal in the envelope of a service. */
const header = (resultCode: string, resultMsg: string): Sent =>
  json({ response: { header: { resultCode, resultMsg } } });
const xmlHeader = (code: string, message: string): Sent =>
  xml(
    `<response><header><resultCode>${code}</resultCode><resultMsg>${message}</resultMsg></header></response>`,
  );
const GOOD = json({
  response: { header: { resultCode: '00' }, body: { totalCount: 1, items: { item: [{ a: 1 }] } } },
});
const EMPTY = header('03', 'NODATA_ERROR');

const NOT_REGISTERED = 'SERVICE_KEY_IS_NOT_REGISTERED_ERROR';
const DENIED = 'SERVICE_ACCESS_DENIED_ERROR';
const PER_DAY = 'LIMITED_NUMBER_OF_SERVICE_REQUESTS_EXCEEDS_ERROR';
const PER_SECOND = 'LIMITED_NUMBER_OF_SERVICE_REQUESTS_EXCEEDS_PER_SECOND_ERROR';

/** What is expected alone, and beside a dataset that works if it differs; `says` is in the text for models. */
interface Row {
  readonly sent: Sent;
  readonly state: string;
  readonly cause: string;
  readonly says: RegExp;
  readonly beside?: { readonly state: string; readonly cause: string; readonly says: RegExp };
}

const row = (
  sent: Sent,
  state: string,
  cause: string,
  says: RegExp,
  beside?: Row['beside'],
): Row => ({
  ...{ sent, state, cause, says },
  ...(beside && { beside }),
});
const APPLY = /not approved for this dataset.* apply for .*PAGE/;
const UNAPPROVED = { state: 'not_applied', cause: 'not_approved', says: APPLY };
const unknownKey = (sent: Sent) =>
  row(sent, 'wrong_key', 'operator_key', /does not know the service key/, UNAPPROVED);
const denied = (sent: Sent) => row(sent, 'not_applied', 'not_approved', APPLY);
const EXTEND = /period for which this dataset was approved has ended.* extend it at PAGE/;
const expired = (sent: Sent) => row(sent, 'expired', 'operator_key', EXTEND);
const silent = (sent: Sent, cause: string, says = /may work later|retry|wait/i) =>
  row(sent, 'unknown', cause, says);

const ROWS: readonly Row[] = [
  unknownKey(fault('30', NOT_REGISTERED)),
  unknownKey(fault('30', NOT_REGISTERED, 403)),
  unknownKey(nameOnly(NOT_REGISTERED)),
  unknownKey(header('30', 'SERVICE KEY IS NOT REGISTERED ERROR.')),
  unknownKey(header('030', 'REGISTERED SERVICE KEY IS NOT.')),
  unknownKey(header('99', 'SERVICE KEY IS NOT REGISTERED ERROR.')),
  unknownKey(xmlHeader('99', 'SERVICE_KEY_IS_NOT_REGISTERED_ERROR')),
  unknownKey(xmlHeader('02', 'SERVICEKEY IS NOT REGISTERED')),
  unknownKey(json({ resultCode: '30', resultMsg: NOT_REGISTERED })),
  unknownKey(json({ resultMsg: NOT_REGISTERED })),
  unknownKey(text(NOT_REGISTERED)),
  denied(fault('20', DENIED)),
  denied(fault('99', 'SERVICE ACCESS DENIED ERROR.')),
  denied(nameOnly(DENIED)),
  denied(header('20', DENIED)),
  denied(text(DENIED)),
  row(text('Forbidden', 403), 'not_applied', 'not_approved', /apply for this dataset.*PAGE/),
  row(text('Unauthorized', 401), 'not_applied', 'not_approved', /apply for this dataset.*PAGE/),
  row(text('Forbidden'), 'not_applied', 'not_approved', /apply for this dataset.*PAGE/),
  expired(fault('31', 'DEADLINE_HAS_EXPIRED_ERROR')),
  expired(header('99', 'DEADLINE HAS EXPIRED ERROR.')),
  expired(text('DEADLINE_HAS_EXPIRED_ERROR')),
  row(
    fault('21', 'TEMPORARILY_DISABLE_THE_SERVICEKEY_ERROR'),
    'blocked',
    'operator_key',
    /suspended/,
  ),
  row(header('29', 'BLOCKED'), 'blocked', 'operator_key', /blocked/),
  row(fault('32', 'UNREGISTERED_IP_ERROR'), 'blocked', 'operator_key', /address is not registered/),
  row(fault('12', 'NO_OPENAPI_SERVICE_ERROR'), 'withdrawn', 'upstream', /must update the preset/),
  row(header('99', 'NO OPENAPI SERVICE ERROR.'), 'withdrawn', 'upstream', /must update the preset/),
  silent(fault('23', PER_SECOND), 'rate'),
  silent(fault('22', PER_SECOND), 'rate'),
  silent(nameOnly(PER_SECOND), 'rate'),
  silent(text('slow down', 429), 'rate'),
  silent(header('99', 'UNKNOWN_ERROR'), 'upstream'),
  silent(header('04', 'HTTP_ERROR'), 'upstream'),
  silent(text('Bad gateway', 502), 'upstream'),
  row(
    header('10', 'INVALID_REQUEST_PARAMETER_ERROR'),
    'works',
    'arguments',
    /value of an argument/,
  ),
  row(json({ resultCode: '11' }), 'works', 'arguments', /argument that the data provider requires/),
  row(EMPTY, 'works', 'no_data', /nothing was found/),
  // Last: they show that the key is accepted, so that nothing after them is alone.
  row(fault('22', PER_DAY), 'exhausted', 'quota', /quota is used up/),
  row(header('99', PER_DAY), 'exhausted', 'quota', /quota is used up/),
  row(text('API token quota exceeded', 429), 'exhausted', 'quota', /quota is used up/),
  row(text('API token quota exceeded'), 'exhausted', 'quota', /quota is used up/),
];
/** These show that the key is accepted. */
const ACCEPTED = new Set(['works', 'exhausted']);

const pageOf = (at: number): string => `https://portal.example/data/${15_000_000 + at}/openapi.do`;

const preset = (at: number): string => `openapi: 3.1.0
info: { title: Dataset ${at}, version: "1" }
servers: [{ url: "http://fixture.invalid" }]
externalDocs: { url: "${pageOf(at)}" }
x-public-data: true
x-cache-ttl: 0
x-items: /response/body/items/item
x-success: { code: /response/header/resultCode }
components:
  securitySchemes:
    key: { type: apiKey, in: query, name: serviceKey, x-secret: ${PORTAL}, description: "Key; apply at ${pageOf(at)}." }
security: [{ key: [] }]
paths:
  /${at}:
    get: { operationId: dataset_${at}, description: A dataset., responses: { "200": { description: Anything. } } }
`;

const OTHER = `openapi: 3.1.0
info: { title: Company, version: "1" }
servers: [{ url: "http://fixture.invalid" }]
x-cache-ttl: 0
x-success: { code: /status, values: ['000'], message: /message, causes: { '010': operator_key, '011': operator_key, '012': operator_key, '020': quota, '901': operator_key } }
components:
  securitySchemes:
    key: { type: apiKey, in: query, name: key, x-secret: OTHER_KEY, description: "Key; get it at https://other.example." }
security: [{ key: [] }]
paths:
  /other:
    get: { operationId: other_tool, description: Another provider., responses: { "200": { description: Anything. } } }
`;

/** The dataset that works beside the others. */
const BESIDE = ROWS.length;
const PRESETS = Object.fromEntries([
  ...[...ROWS, null].map((_, at) => [`dataset-${at}`, preset(at)]),
  ['other', OTHER],
]);
const SECRET = 'recognisable-service-key';

async function start(backend?: (typeof GATEWAY_BACKENDS)[number]) {
  const gateway = await startTestGateway({
    ...(backend && { backend }),
    presets: PRESETS,
    secrets: () => new Secret(SECRET),
    env: { ...ADMIN_ENV, UPSTREAM_TIMEOUT_MS: '3000' },
  });
  const operator = await signIn(gateway);
  const answers = new Map<string, Sent>();
  gateway.upstream.answer(({ url }, response) => {
    const path = url.slice(1).split('?')[0] ?? '';
    const { status, type, body } = answers.get(path) ?? GOOD;
    response.writeHead(status, { 'content-type': type }).end(body);
  });
  const answer = (at: number | string, sent: Sent) => answers.set(String(at), sent);
  const call = async (at: number, sent: Sent) => {
    answer(at, sent);
    return (await gateway.call(`dataset_${at}`)).body;
  };
  return { gateway, operator, answer, call, states: statesOf(operator) };
}

type Started = Awaited<ReturnType<typeof start>>;

const keyOf = async (operator: AdminClient, name: string) => {
  const { body } = await operator.ask('GET /provider-keys');
  expect(JSON.stringify(body)).not.toContain(SECRET);
  return body.keys.find((each: { name: string }) => each.name === name);
};

const statesOf = (operator: AdminClient) => async (name: string) => {
  const key = await keyOf(operator, name);
  return new Map<string, Record<string, unknown>>(
    key.datasets.map((dataset: { id: string }) => [dataset.id, dataset]),
  );
};

const idOf = (at: number): string => String(15_000_000 + at);

const modelText = async (gateway: TestGateway, name: string): Promise<string> => {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } };
  const { body: reply } = await gateway.json('/mcp', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    },
    body: JSON.stringify(body),
  });
  return JSON.stringify(reply);
};

const isWithin = (says: RegExp, page: string): RegExp =>
  new RegExp(says.source.replace('PAGE', page.replaceAll('.', '\\.')), 'i');

describe.each(['alone', 'beside a dataset that works'] as const)(
  `${verifies('readiness.refusals')}: %s`,
  (place) => {
    let started: Started;
    beforeAll(async () => {
      started = await start();
      if (place !== 'alone') await started.call(BESIDE, GOOD);
    });
    afterAll(() => started.gateway.close());

    // What shows that the key is accepted comes last.
    const order = [...ROWS.keys()].sort(
      (a, b) =>
        Number(ACCEPTED.has(ROWS[a]?.state ?? '')) - Number(ACCEPTED.has(ROWS[b]?.state ?? '')),
    );
    test.each(order.map((at) => [at, ROWS[at]?.sent.status, ROWS[at]?.sent.body] as const))(
      'row %i: %s %s',
      async (at) => {
        const { call, gateway, states } = started;
        const found = ROWS[at] as Row;
        const expected = place === 'alone' ? found : (found.beside ?? found);
        const { result } = await call(at, found.sent);
        expect(result.cause).toBe(expected.cause);
        const page = pageOf(at);
        const dataset = (await states(PORTAL)).get(idOf(at));
        expect(dataset).toMatchObject({
          state: expected.state,
          title: `Dataset ${at}`,
          tools: [`dataset_${at}`],
          applyUrl: page,
        });
        const isRefused = !['works', 'unknown'].includes(expected.state);
        expect(dataset?.['evidence'] !== null).toBe(isRefused);
        const words = isWithin(expected.says, page);
        expect(await modelText(gateway, `dataset_${at}`)).toMatch(words);
        const namesPage = expected.says.source.includes('PAGE');
        if (namesPage && result.publicData) expect(result.publicData.hint).toMatch(words);
      },
    );
  },
);

describe.each(GATEWAY_BACKENDS)('readiness ($name)', (backend) => {
  let started: Started;
  beforeAll(async () => {
    started = await start(backend);
  });
  afterAll(() => started.gateway.close());

  const stateOf = async (at: number) => (await started.states(PORTAL)).get(idOf(at))?.['state'];
  const descriptionOf = async (at: number): Promise<string> =>
    (await started.gateway.json(`/api/v1/tools/dataset_${at}`)).body.description;

  test('codes of other providers are understood by the causes of their preset', async () => {
    const { gateway, answer, states } = started;
    answer('other', json({ status: '010', message: `No ${SECRET}` }));
    await gateway.call('other_tool');
    const [dataset] = (await states('OTHER_KEY')).values();
    expect(dataset).toMatchObject({
      id: 'fixture/other',
      applyUrl: 'https://other.example',
      state: 'wrong_key',
      evidence: { code: '010', text: 'No REDACTED', at: expect.any(String) },
    });
  });

  test(verifies('readiness.two'), async () => {
    const { call } = started;
    await call(0, GOOD);
    await call(0, fault('31', 'DEADLINE_HAS_EXPIRED_ERROR'));
    expect([await stateOf(0), await descriptionOf(0)]).toEqual(['expired', 'A dataset.']);
    await call(0, fault('31', 'DEADLINE_HAS_EXPIRED_ERROR'));
    expect(await descriptionOf(0)).toContain('The period for which this dataset was approved');
    await call(0, GOOD);
    expect([await stateOf(0), await descriptionOf(0)]).toEqual(['works', 'A dataset.']);
  });

  test(verifies('readiness.notes'), async () => {
    const { call } = started;
    await call(0, GOOD);
    expect(await descriptionOf(1)).toBe('A dataset.');
    await call(1, fault('30', NOT_REGISTERED));
    expect(await descriptionOf(1)).toContain(`not approved for this dataset`);
    expect(await descriptionOf(1)).toContain(pageOf(1));
    await call(1, GOOD);
    expect(await descriptionOf(1)).toBe('A dataset.');
  });

  test(verifies('readiness.applied'), async () => {
    const { call, operator } = started;
    const apply = (dataset: string) =>
      operator.ask(`POST /provider-keys/${PORTAL}/applied`, { dataset });
    await call(2, fault('20', DENIED));
    expect(await stateOf(2)).toBe('not_applied');
    expect(await apply(idOf(2))).toMatchObject({ body: { id: idOf(2), state: 'propagating' } });
    const { result } = await call(2, fault('20', DENIED));
    expect(result.cause).toBe('not_approved');
    expect(result.publicData.hint).toMatch(/has been applied for.*72 hours/);
    const unknown = await apply('1500000');
    expect(unknown.status).toBe(404);
    expect(JSON.stringify(unknown.body)).toMatch(/Did you mean 1500000\d\?/);
    const { body } = await operator.ask('GET /trail?limit=5');
    expect(JSON.stringify(body)).toContain('provider_key.applied');
  });

  test(verifies('readiness.tests'), async () => {
    const { answer, operator } = started;
    const ask = async (at: number, sent: Sent, value?: string) => {
      answer(at, sent);
      const input = { tenant: 'default', tool: `dataset_${at}`, ...(value && { value }) };
      return (await operator.ask(`POST /provider-keys/${PORTAL}/test`, input)).body;
    };
    expect(await ask(3, fault('30', NOT_REGISTERED))).toMatchObject({
      verdict: 'not_applied',
      message: expect.stringContaining(pageOf(3)),
    });
    expect(await stateOf(3)).toBe('not_applied');
    expect(await ask(4, fault('12', 'NO_OPENAPI_SERVICE_ERROR'))).toMatchObject({
      verdict: 'withdrawn',
      message: expect.stringMatching(/Update the preset/),
    });
    // A value that is not stored has states of its own.
    expect((await ask(5, fault('30', NOT_REGISTERED), 'another-value')).verdict).toBe(
      'key_invalid',
    );
    expect(await stateOf(5)).toBe('unknown');
  });

  test(verifies('readiness.worst'), async () => {
    const { answer, call, operator, gateway } = started;
    const shown = async () => {
      const key = await keyOf(operator, PORTAL);
      const { body } = await gateway.json(`/api/v1/provider-keys/${PORTAL}`);
      const { state, affected, advice } = body;
      return { ...key, tenants: { state, affected, advice } };
    };
    for (const at of ROWS.keys()) await call(at, GOOD);
    expect(await shown()).toMatchObject({
      ...{ state: 'works', affected: ROWS.length, evidence: null, advice: null },
    });
    answer(7, fault('20', DENIED));
    await operator.ask(`POST /provider-keys/${PORTAL}/test`, {
      ...{ tenant: 'default', tool: 'dataset_7' },
    });
    expect(await shown()).toMatchObject({
      ...{ state: 'not_applied', affected: 1, since: expect.any(String) },
      evidence: { code: '20', text: DENIED },
      advice: expect.stringMatching(`^Apply for .* ${pageOf(7)}$`),
      tenants: { state: 'not_applied', affected: 1, advice: expect.stringMatching(/^Ask/) },
    });
    await call(8, fault('31', 'DEADLINE_HAS_EXPIRED_ERROR'));
    expect(await shown()).toMatchObject({ state: 'expired', affected: 1 });
    for (const at of [7, 8]) await call(at, GOOD);
    expect(await shown()).toMatchObject({ state: 'works', tenants: { state: 'works' } });
  });
});
