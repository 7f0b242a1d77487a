import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  type CallPipeline,
  openCallPipeline,
  type Respond,
  readFailure,
} from '../../test/support/call-pipeline.ts';
import { type ErrorCode, GatewayError } from '../platform/kernel/error.ts';

const SKY = `
x-items: /rows
x-success: { failure: /error }
components:
  securitySchemes:
    key: { type: apiKey, in: query, name: key, x-secret: SKY_KEY }
paths:
  /rows/{place}:
    get:
      operationId: sky_rows
      parameters:
        - { name: place, in: path, required: true, schema: { type: string } }
      responses: {}
  /fresh:
    get: { operationId: sky_fresh, x-cache-ttl: 0, responses: {} }
  /keyed:
    get: { operationId: sky_keyed, security: [{ key: [] }], responses: {} }
  /days:
    get:
      operationId: sky_days
      x-step-back: 2
      parameters:
        - { name: day, in: query, schema: { type: string }, x-default: today-kst }
      responses: {}
`;

const CODES: readonly ErrorCode[] = [
  'upstream_timeout',
  'upstream_unreachable',
  'upstream_circuit_open',
  'upstream_too_large',
  'upstream_blocked',
  'overloaded',
  'cancelled',
  'internal',
];

/** Of the two large bodies below, one fits into a tenant's share of this and the other exceeds it. */
const MEMORY_BYTES = 200_000;
const bodies = fc.oneof(
  fc.jsonValue(),
  fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 4 }).map((rows) => ({ rows })),
  fc.constantFrom<unknown>(
    { rows: [] },
    { error: 'no' },
    '',
    '{',
    '<html></html>',
    '<rows><a>1</a></rows>',
    Buffer.from([0, 255, 254]),
    { rows: [{ text: 'x'.repeat(60_000) }] },
    { rows: [{ text: 'x'.repeat(120_000) }] },
  ),
);

const replies = fc
  .record({
    status: fc.constantFrom(200, 200, 200, 204, 301, 404, 429, 500, 503),
    contentType: fc.constantFrom('application/json', 'text/html', 'image/png', ''),
    body: bodies,
    tookMs: fc.nat(50),
  })
  .map(
    (reply): Respond =>
      () =>
        reply,
  );

const failures = fc
  .oneof(
    fc.constantFrom(...CODES).map((code) => new GatewayError(code)),
    fc.constantFrom(new TypeError('x is not a function'), 'a string', undefined),
  )
  .map(
    (thrown): Respond =>
      () => {
        throw thrown;
      },
  );

const tools = fc.constantFrom('sky_rows', 'sky_fresh', 'sky_keyed', 'sky_days');
const args = fc.oneof(
  fc.constantFrom({}, { place: 'seoul' }, { place: 'busan', _limit: 1 }, { place: '..' }),
  fc.record({ place: fc.string(), _fields: fc.array(fc.string()) }),
  fc.dictionary(fc.string(), fc.jsonValue()),
);

const call = fc.record({ respond: fc.oneof(replies, failures), tool: tools, args });
type Call = typeof call extends fc.Arbitrary<infer T> ? T : never;

/** The id of the record and the outcome, as the caller sees them. */
const endOf = ({ call }: CallPipeline, { tool, args }: Call) =>
  call(tool, args).then(
    ({ auditId, isError }) => ({ auditId, outcome: isError ? 'upstream_error' : 'ok' }),
    (thrown: unknown) => ({ auditId: readFailure(thrown).auditId, outcome: 'error' }),
  );

it('every call of a tool leaves one record, is reported once, and frees its memory', async () => {
  const gateway = await openCallPipeline(SKY, { memoryBytes: MEMORY_BYTES });
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 4 }), async (calls) => {
      const before = gateway.records.length;
      // Long enough for cached responses to become stale or to expire.
      gateway.pass(calls.length * 300_000);
      for (const each of calls) {
        gateway.answer(each.respond);
        const { auditId, outcome } = await endOf(gateway, each);
        seen.add(outcome);
        expect(gateway.records.at(-1)).toMatchObject({ auditId, outcome, tool: each.tool });
        expect(gateway.finished.at(-1)).toMatchObject({ auditId });
      }
      expect(gateway.records.length).toBe(before + calls.length);
      expect(gateway.finished.length).toBe(gateway.records.length);
      gateway.release();
      expect(gateway.usedBytes()).toBe(0);
    }),
    { numRuns: 200 },
  );
  expect([...seen].sort()).toEqual(['error', 'ok', 'upstream_error']);
});

it('concurrent calls leave one record each, even if they share an upstream request', async () => {
  const gateway = await openCallPipeline(SKY, { memoryBytes: MEMORY_BYTES });
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 2, maxLength: 6 }), async (calls) => {
      const before = gateway.records.length;
      gateway.pass(300_000);
      const responds = calls.map(({ respond }) => respond);
      gateway.answer((...request) => (responds.shift() ?? calls[0]?.respond ?? fail)(...request));
      const ends = await Promise.all(calls.map((each) => endOf(gateway, each)));
      const recorded = gateway.records.slice(before);
      const byId = (a: { auditId: string | null }, b: { auditId: string | null }) =>
        String(a.auditId) < String(b.auditId) ? -1 : 1;
      expect(recorded.map(({ auditId, outcome }) => ({ auditId, outcome })).sort(byId)).toEqual(
        ends.sort(byId),
      );
      gateway.release();
      expect(gateway.usedBytes()).toBe(0);
    }),
  );
});

const fail: Respond = () => {
  throw new Error('The upstream has no response to send.');
};
