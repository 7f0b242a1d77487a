import { describe, expect, it } from 'vitest';
import { failureOf, NOON_MS, openCallPipeline } from '../../test/support/call-pipeline.ts';
import { GatewayError } from '../platform/kernel/error.ts';

const SKY = `
x-success: { failure: /error }
components:
  securitySchemes:
    key: { type: apiKey, in: query, name: key, x-secret: SKY_KEY }
paths:
  /now/{place}:
    get:
      operationId: sky_now
      parameters:
        - { name: place, in: path, required: true, schema: { type: string } }
        - { name: n, in: query, schema: { type: integer } }
      responses: {}
  /fresh:
    get: { operationId: sky_fresh, x-cache-ttl: 0, responses: {} }
  /keyed:
    get: { operationId: sky_keyed, security: [{ key: [] }], responses: {} }
`;

const unreachable = () => {
  throw new GatewayError('upstream_unreachable');
};

describe('the record of a call with a response', () => {
  it('has the duration until it is written; observers get the duration including the write', async () => {
    const gateway = await openCallPipeline(SKY, { commit: () => gateway.pass(5) });
    gateway.pass(1000);
    gateway.answer({ body: {}, tookMs: 40 });
    await gateway.call('sky_fresh');
    expect(gateway.records[0]).toMatchObject({
      timestampMs: NOON_MS + 1000,
      durationMs: 40,
      upstreamMs: 40,
    });
    expect(gateway.finished[0]?.durationMs).toBe(45);
  });

  it.each([
    [{ status: 200, body: {} }, 'ok'],
    [{ status: 304, body: {} }, 'ok'],
    [{ status: 404, body: {} }, 'upstream_error'],
    [{ status: 503, body: {} }, 'upstream_error'],
    [{ status: 200, body: { error: 'No such place.' } }, 'upstream_error'],
  ])('of %j has the outcome %s', async (reply, outcome) => {
    const gateway = await openCallPipeline(SKY);
    gateway.answer(reply);
    await gateway.call('sky_fresh');
    expect(gateway.records).toMatchObject([
      { outcome, error: null, upstream: { status: reply.status }, cacheStatus: 'BYPASS' },
    ]);
  });
});

describe('the record of a call without a response', () => {
  it.each([
    ['of arguments that do not fit', 'sky_now', { place: 'seoul', n: 'x' }, 'invalid_arguments'],
    ['of an argument that is missing', 'sky_now', {}, 'invalid_arguments'],
    ['of a step through the path', 'sky_now', { place: '..' }, 'invalid_arguments'],
    ['of a secret that is missing', 'sky_keyed', {}, 'missing_secret'],
  ])('is written although nothing was sent, because %s', async (_, tool, args, code) => {
    const gateway = await openCallPipeline(SKY);
    const failure = await failureOf(gateway.call(tool, args));
    expect(failure.code).toBe(code);
    expect(gateway.sent).toEqual([]);
    expect(gateway.records).toMatchObject([
      {
        auditId: failure.auditId,
        tool,
        arguments: args,
        outcome: 'error',
        error: { code, message: failure.message },
      },
    ]);
  });

  it('has the code of an internal error and its generic message only', async () => {
    const gateway = await openCallPipeline(SKY);
    gateway.answer(() => {
      throw new TypeError('x is not a function');
    });
    await failureOf(gateway.call('sky_fresh'));
    expect(gateway.records[0]?.error).toEqual({
      code: 'internal',
      message: 'The gateway failed. If it keeps failing, report this to its operator.',
    });
  });
});

describe('what observers receive', () => {
  it('matches the record of a response', async () => {
    const gateway = await openCallPipeline(SKY);
    gateway.answer({ status: 404, body: {} });
    const { auditId } = await gateway.call('sky_fresh', {}, { clientId: 'sse_1' });
    expect(gateway.finished).toEqual([
      {
        auditId,
        tool: 'sky_fresh',
        tenantId: 'ten_a',
        clientId: 'sse_1',
        code: null,
        status: 404,
        cacheStatus: 'BYPASS',
        isError: true,
        url: 'https://sky.example/fresh',
        durationMs: 0,
      },
    ]);
  });

  it('matches the record of a failure', async () => {
    const gateway = await openCallPipeline(SKY);
    gateway.answer(unreachable);
    const { auditId } = await failureOf(gateway.call('sky_now', { place: 'seoul' }));
    expect(gateway.finished).toMatchObject([
      {
        auditId,
        code: 'upstream_unreachable',
        status: null,
        cacheStatus: null,
        isError: true,
        url: 'https://sky.example/now/{place}?n',
      },
    ]);
  });
});
