import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

/** A JSON pointer into the data of a response, and the value there. */
export type Seen = readonly [pointer: string, value: unknown];

/** How one tool of the catalogue must behave with the sandbox. */
export interface ToolCase {
  readonly tool: string;
  /** The arguments of a newcomer: no dates, and no codes that have defaults. */
  readonly args: object;
  /** A JSON pointer to the rows; null for a response without rows. */
  readonly rows: string | null;
  /** A value that the response must have. */
  readonly sees: Seen;
  /** The response to a bad key: that of data.go.kr, or the upstream's own; null for a tool without a key. */
  readonly keyRefusal: 'portal' | { readonly status: number; readonly sees: Seen } | null;
}

/** More than the retries and the steps back of one call. */
const EVERY_TIME = 20;

/** Checks each tool over MCP: a newcomer's call, no rows, one row, a refused key, a truncated response. */
export function describeTools(cases: readonly ToolCase[]): void {
  let caching: TestGateway;
  let uncached: TestGateway;
  beforeAll(async () => {
    const env = { RATE_LIMIT_PER_MINUTE: '0' };
    caching = await startTestGateway({ env });
    uncached = await startTestGateway({
      env: { ...env, CACHE_MAX_BYTES: '0', LAST_GOOD_MAX_BYTES: '0' },
    });
  });
  afterAll(async () => {
    await caching.close();
    await uncached.close();
  });

  describe.each(cases)('$tool', ({ tool, args, rows, sees, keyRefusal }) => {
    const call = async (gateway = uncached) => (await gateway.call(tool, args)).body;
    const faultyCall = async (fault: string, gateway = uncached) => {
      await gateway.fault(tool, fault, EVERY_TIME);
      const body = await call(gateway);
      await fetch(`${gateway.sandbox.url}/_sandbox/faults`, { method: 'DELETE' });
      return body;
    };
    const expectRows = (result: CaseResult, expected: unknown) =>
      expect(seen(result, rows ?? '')).toEqual(expected);

    test('works for a newcomer', async () => {
      const result = resultOf(await call());
      expect(seen(result, sees[0])).toEqual(sees[1]);
      expect(await outcomeOf(uncached, result)).toBe('ok');
      if (rows !== null) expectRows(result, expect.arrayContaining([expect.anything()]));
    });

    // Not every response has rows, and not every upstream has a key: these cases are omitted rather than skipped.
    const testRows = rows === null ? () => undefined : test;
    const testKey = keyRefusal === null ? () => undefined : test;

    testRows('has an empty array where nothing matches', async () => {
      const result = resultOf(await faultyCall('zero'));
      expectRows(result, []);
      expect(await outcomeOf(uncached, result)).toBe('ok');
    });

    testRows('has an array of one where one row matches', async () => {
      const result = resultOf(await faultyCall('one'));
      expectRows(result, [expect.anything()]);
      expect(await outcomeOf(uncached, result)).toBe('ok');
    });

    testKey('passes a refused key on and does not keep it', async () => {
      const result = resultOf(await faultyCall('key', caching));
      expectRefusal(result, keyRefusal);
      expect(await outcomeOf(caching, result)).toBe('upstream_error');
      const next = resultOf(await call(caching));
      expect(next.cacheStatus).not.toBe('HIT');
      expect(seen(next, sees[0])).toEqual(sees[1]);
    });

    test('refuses a truncated response', async () => {
      const { error } = await faultyCall('truncate');
      expect(error).toMatchObject({ code: -32000, data: { reason: 'bad_payload' } });
    });
  });
}

/** The members of a call's result that tests read. */
interface CaseResult {
  readonly data: unknown;
  readonly auditId: string;
  readonly cacheStatus: string;
}

function resultOf({ result, error }: { result?: CaseResult; error?: unknown }): CaseResult {
  expect(error).toBeUndefined();
  if (!result) throw new Error('The response has neither a result nor an error.');
  return result;
}

/** The value at a JSON pointer, which must not contain escaped characters. */
const seen = ({ data }: CaseResult, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduce((node, key) => (node as Record<string, unknown> | undefined)?.[key], data);

/** The outcome of a call in the audit log: `ok`, or `upstream_error` for a refusal. */
async function outcomeOf(gateway: TestGateway, { auditId }: CaseResult): Promise<unknown> {
  return (await gateway.json(`/api/v1/audit/${auditId}`)).body.outcome;
}

function expectRefusal(result: CaseResult, refusal: ToolCase['keyRefusal']): void {
  if (refusal === 'portal') {
    const message = 'Unregistered service key';
    expect(result).toMatchObject({ publicData: { code: '30', message, hint: expect.any(String) } });
  } else if (refusal) {
    expect(result).toMatchObject({ upstream: { status: refusal.status } });
    expect(seen(result, refusal.sees[0])).toEqual(refusal.sees[1]);
  }
}
