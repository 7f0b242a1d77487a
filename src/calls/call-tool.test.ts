import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { compilePreset, failureOf, openCallPipeline } from '../../test/support/call-pipeline.ts';
import { GatewayError } from '../platform/kernel/error.ts';

const SKY = `
paths:
  /now:
    get:
      operationId: sky_now
      parameters:
        - { name: n, in: query, schema: { type: integer, default: 7 } }
      responses: {}
  /rows:
    get: { operationId: sky_rows, x-items: /rows, responses: {} }
  /query:
    post:
      operationId: sky_query
      x-read-only: true
      requestBody: &body
        required: true
        content: { application/json: { schema: { type: object, properties: { title: { type: string } } } } }
      responses: {}
  /write:
    post:
      operationId: sky_write
      requestBody: *body
      responses: {}
`;

const OWN_CONTENT = `
paths:
  /picture: { get: { operationId: sky_picture, x-mcp-content: true, responses: {} } }
`;

describe('a call of a tool', () => {
  it('sends one request, and returns the upstream’s response', async () => {
    const gateway = await openCallPipeline(SKY);
    gateway.answer({ body: { clear: true }, tookMs: 40 });
    expect(await gateway.call('sky_now', { n: 1 })).toEqual({
      auditId: expect.stringMatching(/^aud_[0-9A-Z]{26}$/),
      tool: 'sky_now',
      cacheStatus: 'MISS',
      upstream: { method: 'GET', url: 'https://sky.example/now?n=1', status: 200 },
      data: { clear: true },
      bytes: 14,
      publicData: undefined,
      rows: undefined,
      count: undefined,
      isError: false,
      kind: 'ok',
      cause: null,
      provenance: {
        fetchedAt: expect.any(String),
        ageSeconds: 0,
        asOf: null,
        asked: { n: 1 },
        steppedBack: null,
        nextPublication: null,
        isSample: false,
        stale: null,
      },
    });
    expect(gateway.sent).toEqual([
      {
        method: 'GET',
        url: 'https://sky.example/now?n=1',
        body: null,
        tenantId: 'ten_a',
        idempotent: true,
        remainingMs: 10_000,
        cancellation: expect.anything(),
      },
    ]);
  });

  it('fills in the defaults of its arguments, and does not change the given ones', async () => {
    const gateway = await openCallPipeline(SKY);
    const { upstream } = await gateway.call('sky_now', Object.freeze({}));
    expect(upstream.url).toBe('https://sky.example/now?n=7');
  });

  it.each([
    ['sky_now', true],
    ['sky_query', true],
    ['sky_write', false],
  ])('is marked as repeatable only if it changes nothing: %s %s', async (tool, idempotent) => {
    const gateway = await openCallPipeline(SKY);
    await gateway.call(tool, tool === 'sky_now' ? {} : { title: 'a' });
    expect(gateway.sent).toMatchObject([{ idempotent }]);
  });

  it.each([
    [201, false],
    [304, false],
    [399, false],
    [400, true],
    [404, true],
    [429, true],
    [500, true],
  ])('returns a response with status %i, marked as an error: %s', async (status, isError) => {
    const gateway = await openCallPipeline(SKY);
    gateway.answer({ status, body: { why: 'so' } });
    const result = await gateway.call('sky_now');
    expect(result).toMatchObject({ isError, data: { why: 'so' }, upstream: { status } });
  });

  it('returns a response that reports a failure in its body, marked as an error', async () => {
    const gateway = await openCallPipeline(`x-success: { failure: /error }\n${SKY.trimStart()}`);
    gateway.answer({ body: { error: 'No such place.' } });
    const result = await gateway.call('sky_now');
    expect(result).toMatchObject({ isError: true, upstream: { status: 200 } });
    gateway.answer({ body: { error: null } });
    expect(await gateway.call('sky_now')).toMatchObject({ isError: false });
  });

  it('fails without a response, with the error and the id of its record', async () => {
    const gateway = await openCallPipeline(SKY);
    gateway.answer(() => {
      throw new GatewayError('upstream_unreachable');
    });
    const failure = await failureOf(gateway.call('sky_now'));
    expect(failure).toMatchObject({ tool: 'sky_now', code: 'upstream_unreachable' });
    expect(failure.auditId).toBe(gateway.records[0]?.auditId);
  });

  it('fails if its tool promises rows and the response cannot be read', async () => {
    const gateway = await openCallPipeline(SKY);
    gateway.answer({ body: '<html>Welcome!</html>', contentType: 'text/html' });
    expect(await failureOf(gateway.call('sky_rows'))).toMatchObject({
      code: 'upstream_bad_payload',
    });
    const { data } = await gateway.call('sky_now');
    expect(data).toEqual({ text: '<html>Welcome!</html>' });
  });

  it('does not disclose what foreign code throws', async () => {
    const gateway = await openCallPipeline(SKY);
    gateway.answer(() => {
      throw new Error('Cannot open /etc/passwd.');
    });
    const failure = await failureOf(gateway.call('sky_now'));
    expect(failure).toMatchObject({ code: 'internal', auditId: expect.any(String) });
    const disclosed = JSON.stringify([failure, gateway.records, gateway.finished]);
    expect(disclosed).not.toContain('passwd');
  });
});

describe('a tool that does not exist for the caller', () => {
  const narrowing = { category: null, tools: ['other_*'] };

  it.each([
    ['has an unknown name', 'sky_nowhere', {}],
    ['is not allowed for the key', 'sky_now', { allowedTools: ['other_*'] }],
    ['is excluded by the request URL', 'sky_now', { narrowing }],
  ])('is not found when it %s: nothing is sent, recorded or reported', async (_, tool, caller) => {
    const gateway = await openCallPipeline(SKY);
    expect(await failureOf(gateway.call(tool, {}, { caller }))).toMatchObject({
      code: 'tool_not_found',
      message: `Unknown tool "${tool}". Call tools/list for the tools that this key may use.`,
      auditId: null,
      tool: null,
    });
    expect(gateway.steps).toEqual([]);
  });

  it('is answered with the tool that it is nearly', async () => {
    const gateway = await openCallPipeline(SKY);
    const { message } = await failureOf(gateway.call('sky_noww'));
    expect(message).toBe('Unknown tool "sky_noww". Did you mean sky_now?');
    const foreign = await failureOf(
      gateway.call('sky_noww', {}, { caller: { allowedTools: ['other_*'] } }),
    );
    expect(foreign.message).not.toContain('sky_now?');
  });

  it('is quoted only in part when its name is long', async () => {
    const gateway = await openCallPipeline(SKY);
    const { message } = await failureOf(gateway.call('x'.repeat(200)));
    expect(message).toContain(`"${'x'.repeat(100)}"`);
  });

  it('is reported, as not allowed only if it exists and the key may not use it', async () => {
    const gateway = await openCallPipeline(SKY);
    const allowedTools = ['other_*'];
    await failureOf(gateway.call('sky_now', {}, { caller: { allowedTools } }));
    await failureOf(gateway.call('sky_nowhere', {}, { caller: { allowedTools } }));
    await failureOf(gateway.call('sky_now', {}, { caller: { narrowing } }));
    expect(gateway.refused).toEqual([
      'tool_not_allowed: sky_now by key_a',
      'unknown_tool: sky_nowhere by key_a',
      'unknown_tool: sky_now by key_a',
    ]);
  });

  it('is not found even while the ledger cannot be written', async () => {
    const gateway = await openCallPipeline(SKY, { assertWritable: failToWrite });
    expect(await failureOf(gateway.call('sky_nowhere'))).toMatchObject({ code: 'tool_not_found' });
  });
});

const failToWrite = () => {
  throw new GatewayError('overloaded', 'The audit log cannot be written.');
};

describe('a ledger that cannot be written', () => {
  it('prevents a call from starting', async () => {
    const gateway = await openCallPipeline(SKY, { assertWritable: failToWrite });
    expect(await failureOf(gateway.call('sky_now'))).toMatchObject({
      code: 'overloaded',
      message: 'The audit log cannot be written.',
      auditId: null,
    });
    expect(gateway.steps).toEqual([]);
  });

  it('withholds a response if its record cannot be committed, and names no record', async () => {
    const gateway = await openCallPipeline(SKY, { commit: failToWrite });
    expect(await failureOf(gateway.call('sky_now'))).toMatchObject({
      code: 'overloaded',
      auditId: null,
    });
    expect(gateway.steps).toEqual(['sent', 'appended']);
    expect(gateway.records).toEqual([]);
  });
});

it('A tool that cannot be prepared fails with one record, whose id the caller gets', async () => {
  const sky = await compilePreset(SKY);
  const tools = sky.tools.map((tool) => ({ ...tool, baseUrl: 'not an address' }));
  const gateway = await openCallPipeline(SKY, { presets: [{ ...sky, tools }] });
  const failure = await failureOf(gateway.call('sky_now'));
  expect(failure).toMatchObject({ code: 'internal', tool: 'sky_now' });
  expect(gateway.records).toMatchObject([{ auditId: failure.auditId, outcome: 'error' }]);
  expect(gateway.sent).toEqual([]);
});

it('MCP content that reports an error is a failure, and is not cached', async () => {
  const gateway = await openCallPipeline(OWN_CONTENT);
  const content = [{ type: 'text', text: 'No such picture.' }];
  gateway.answer({ body: { content, isError: true } });
  const failed = { isError: true, kind: 'failed', cause: 'upstream', cacheStatus: 'MISS' };
  expect(await gateway.call('sky_picture')).toMatchObject(failed);
  expect(await gateway.call('sky_picture')).toMatchObject(failed);
  gateway.answer({ body: { content } });
  expect(await gateway.call('sky_picture')).toMatchObject({ isError: false, kind: 'ok' });
  expect(gateway.records.map(({ outcome }) => outcome)).toEqual([
    'upstream_error',
    'upstream_error',
    'ok',
  ]);
  expect(await gateway.call('sky_picture')).toMatchObject({ cacheStatus: 'HIT' });
});

describe('the record of a call', () => {
  const unreachable = () => {
    throw new GatewayError('upstream_unreachable');
  };

  it.each([
    ['a response of the upstream', 'sky_now', {}, { body: {} }, ['sent']],
    ['a response with status 500', 'sky_now', {}, { status: 500, body: {} }, ['sent']],
    ['an upstream failure', 'sky_now', {}, unreachable, ['sent']],
    ['an error about arguments', 'sky_now', { n: 'x' }, { body: {} }, []],
  ])('is committed before %s is returned and reported', async (_, tool, args, reply, sent) => {
    const commit = Promise.withResolvers<void>();
    const gateway = await openCallPipeline(SKY, { commit: () => commit.promise });
    gateway.answer(reply);
    let isSettled = false;
    const call = gateway.call(tool, args).then(
      () => {
        isSettled = true;
      },
      () => {
        isSettled = true;
      },
    );
    for (let turn = 0; turn < 5; turn++) await nextTurn();
    expect(gateway.steps).toEqual([...sent, 'appended']);
    expect(isSettled).toBe(false);
    commit.resolve();
    await call;
    expect(gateway.steps).toEqual([...sent, 'appended', 'committed', 'finished']);
  });

  it('is committed before a response from the cache is returned', async () => {
    let commits = 0;
    const gateway = await openCallPipeline(SKY, {
      commit: async () => {
        await nextTurn();
        commits++;
      },
    });
    await gateway.call('sky_now');
    expect(commits).toBe(1);
    expect(await gateway.call('sky_now')).toMatchObject({ cacheStatus: 'HIT' });
    expect(commits).toBe(2);
  });
});
