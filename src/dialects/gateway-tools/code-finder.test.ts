import { describe, expect, it } from 'vitest';
import { maskArguments } from '../../audit/masking/mask-arguments.ts';
import type { AuditRecord } from '../../audit/record/audit-record.ts';
import { createCallTool } from '../../calls/call-tool.ts';
import { renderOutcome } from '../../calls/model/render-result.ts';
import type { CallContext, CallOutcome } from '../../calls/tool-call.ts';
import { createByteBudget } from '../../platform/kernel/byte-budget.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { systemClock } from '../../platform/kernel/time.ts';
import { PUBLIC_DATA_PAYLOADS } from '../../public-data/payload-domain.ts';
import { createResponseCache } from '../../upstreams/cache/response-cache.ts';
import { createPayloadReader } from '../../upstreams/payload/read-payload.ts';
import { piecesOf } from '../json-rpc/splice.ts';
import { encodeOutcome } from '../plain/encode.ts';
import { type CodeFinder, connectCodes } from './code-finder.ts';
import { createGatewayTools } from './gateway-tools.ts';

const HIT = { code: '11680', name: '강남구', kind: 'district', nameEn: 'Gangnam-gu' };
const CODES: CodeFinder = {
  kinds: ['district', 'place'],
  find: ({ text }) => (text === '강남구' ? [HIT] : []),
};

/** As of a gateway without tables. */
const NO_CODES: CodeFinder = {
  kinds: [],
  find: () => {
    throw new GatewayError('invalid_arguments', 'find_code: /kind is unknown. Available: none.');
  },
};

function openCalls(codes: CodeFinder) {
  const records: AuditRecord[] = [];
  const entry = { ...createGatewayTools(codes, '').find_code, connection: connectCodes(codes) };
  const budget = createByteBudget(1_000_000);
  const callTool = createCallTool({
    catalog: { find: () => entry, isDenied: () => false, list: () => [] },
    cache: createResponseCache({
      maxBytes: 0,
      staleSeconds: 0,
      clock: systemClock,
      logger: { warn: () => undefined },
    }),
    ledger: {
      assertWritable: () => undefined,
      append: async (record: AuditRecord) => void records.push(record),
    } as never,
    clock: systemClock,
    mask: maskArguments,
    normalise: createPayloadReader(PUBLIC_DATA_PAYLOADS),
    budget,
    connectionFor: () => connectCodes(codes),
    timeoutMs: 1000,
    argumentThread: { read: () => Promise.reject(new Error('No tool is registered.')) },
    nextPublication: () => undefined,
    incompleteUntil: () => undefined,
    resolveCode: () => ({ choices: [] }),
    isSandbox: false,
    onNotFound: () => undefined,
    onFinished: () => undefined,
  });
  const context = { caller: { tenantId: 'ten_a' }, memory: () => budget.open('ten_a') };
  const call = (args: Record<string, unknown>): Promise<CallOutcome> =>
    callTool(
      { name: 'find_code', arguments: args, shows: 'both' },
      context as unknown as CallContext,
    );
  return { call, records };
}

describe('find_code', () => {
  it('has the hits as data, no upstream, and an audit record', async () => {
    const { call, records } = openCalls(CODES);
    const outcome = await call({ kind: 'district', text: '강남구' });
    const encoded = encodeOutcome(1, outcome);
    const { result } = JSON.parse(Buffer.concat(piecesOf(encoded)).toString());
    expect(result).toMatchObject({
      tool: 'find_code',
      outcome: 'ok',
      upstream: null,
      data: [HIT],
      cacheStatus: 'BYPASS',
      auditId: records[0]?.auditId,
    });
    expect(records).toMatchObject([
      { tool: 'find_code', outcome: 'ok', arguments: { kind: 'district', text: '강남구' } },
    ]);
    const { members } = renderOutcome(outcome, { style: 'text', maxCharacters: 1000 });
    expect(members.join('')).toMatch(/^"content":.*find_code: 1 row.*11680/);
  });

  it('says that nothing was found', async () => {
    const { call } = openCalls(CODES);
    expect(await call({ kind: 'place', text: 'x' })).toMatchObject({ kind: 'no_data' });
  });

  it.each([
    [CODES, { kind: 'distict', text: 'x' }, 'district'],
    [CODES, { kind: 'district', text: 'x'.repeat(101) }, '100'],
    [CODES, { kind: 'district', text: 'x', limit: 51 }, '50'],
    [CODES, { kind: 'district', near: { lat: 1 } }, 'lon'],
    [NO_CODES, { kind: 'district', text: 'x' }, 'Available: none'],
  ])('refuses bad arguments', async (codes, args, message) => {
    const { call, records } = openCalls(codes);
    await expect(call(args)).rejects.toMatchObject({
      error: { code: 'invalid_arguments', message: expect.stringContaining(message) },
    });
    expect(records).toMatchObject([{ outcome: 'error', error: { code: 'invalid_arguments' } }]);
  });
});
