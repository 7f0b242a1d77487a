import { describe, expect, it } from 'vitest';
import { makeOutcome, type OutcomeFacts, PROVENANCE } from '../../../test/support/call-outcome.ts';
import { CallFailure } from '../../calls/tool-call.ts';
import { ERROR_TABLE, type ErrorCode, GatewayError } from '../../platform/kernel/error.ts';
import type { RpcId } from '../json-rpc/json-rpc.ts';
import { type Encoded, piecesOf } from '../json-rpc/splice.ts';
import { encodeError, encodeOutcome } from './encode.ts';

const outcome = (facts: OutcomeFacts = {}) =>
  makeOutcome({
    cacheStatus: 'HIT',
    url: 'https://sky.example/?q="',
    json: Buffer.from('{"n":1.10}'),
    rows: 1,
    ...facts,
  });

const textOf = (encoded: Encoded) => Buffer.concat(piecesOf(encoded)).toString();
const read = (encoded: Encoded) => JSON.parse(textOf(encoded));

describe('the response to a call', () => {
  const { source: _, ...facts } = PROVENANCE;
  const { isSample: __, stale: ___, ...provenance } = facts;
  const result = {
    tool: 'sky_now',
    outcome: 'ok',
    cause: null,
    rows: { returned: 1, omitted: 0, total: null, next: null },
    provenance: {
      publisher: null,
      dataset: 'Sky',
      docUrl: null,
      licence: 'unknown',
      licenceUrl: null,
      attribution: null,
      ...provenance,
    },
    upstream: { method: 'GET', url: 'https://sky.example/?q="', status: 200 },
    data: { n: 1.1 },
    cacheStatus: 'HIT',
    auditId: 'aud_1',
  };

  it('has the members of the contract, and the bytes of the payload unchanged', () => {
    const encoded = encodeOutcome(1, outcome());
    expect(read(encoded)).toStrictEqual({ jsonrpc: '2.0', id: 1, result });
    expect(textOf(encoded)).toContain('"data":{"n":1.10},');
  });

  it('has the result code of a public-data upstream and how many rows there are', () => {
    const publicData = { code: '22', message: 'Too "many"', hint: 'Wait.' };
    const count = {
      returned: 1,
      omitted: 2,
      total: null,
      next: { page: 2 },
      hint: 'Ask for more.',
    };
    expect(read(encodeOutcome('a', outcome({ publicData, count })))).toStrictEqual({
      jsonrpc: '2.0',
      id: 'a',
      result: { ...result, publicData, rows: count },
    });
  });

  it.each<RpcId>(['a "b"', 7, null, JSON.rawJSON('9007199254740993')])('echoes its id', (id) => {
    expect(textOf(encodeOutcome(id, outcome()))).toContain(`"id":${JSON.stringify(id)},`);
    expect(encodeError(id, new GatewayError('internal')).toString()).toContain(
      `"id":${JSON.stringify(id)},`,
    );
  });

  it('does not copy a large payload', () => {
    const data = Buffer.from(JSON.stringify('x'.repeat(100_000)));
    const encoded = encodeOutcome(1, outcome({ json: data }));
    expect(piecesOf(encoded)).toContain(data);
    expect(read(encoded).result.data).toHaveLength(100_000);
  });
});

describe('the response to a call that failed', () => {
  const errorOf = (thrown: unknown) => JSON.parse(encodeError(1, thrown).toString()).error;
  const codes = (Object.keys(ERROR_TABLE) as ErrorCode[]).map((code) => [code] as const);
  const gatewayCodes = codes.filter(([code]) => ERROR_TABLE[code].rpcCode === -32000);

  it.each(codes)('has the code and the message of %s', (code) => {
    const { rpcCode, message } = ERROR_TABLE[code];
    expect(errorOf(new GatewayError(code))).toMatchObject({ code: rpcCode, message });
  });

  it.each(gatewayCodes)('names the audit record, the reason, and whether to retry: %s', (code) => {
    const error = new GatewayError(code, undefined, { details: { retryAfterSeconds: 1 } });
    const { reason, retryable } = ERROR_TABLE[code];
    expect(errorOf(new CallFailure('aud_1', 'sky_now', error)).data).toStrictEqual({
      auditId: 'aud_1',
      tool: 'sky_now',
      reason,
      retryable,
      retryAfterSeconds: 1,
    });
    expect(errorOf(error).data).toStrictEqual({ reason, retryable, retryAfterSeconds: 1 });
  });

  it('lists the issues of the arguments', () => {
    const errors = [{ path: '/n', message: 'must be a number.' }];
    const error = new GatewayError('invalid_arguments', 'sky_now: /n must be a number.', {
      details: { errors },
    });
    expect(errorOf(new CallFailure('aud_1', 'sky_now', error))).toStrictEqual({
      code: -32602,
      message: 'sky_now: /n must be a number.',
      data: { auditId: 'aud_1', tool: 'sky_now', errors },
    });
    expect(errorOf(error).data).toStrictEqual({ errors });
  });

  it('has no data without an audit record', () => {
    expect(errorOf(new GatewayError('tool_not_found'))).not.toHaveProperty('data');
  });

  it('does not reveal errors of foreign code', () => {
    expect(errorOf(new Error('secret path'))).toStrictEqual({
      code: -32000,
      message: ERROR_TABLE.internal.message,
      data: { reason: 'internal', retryable: true },
    });
  });
});
