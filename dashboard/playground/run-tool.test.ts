import { describe, expect, test } from 'vitest';
import { countTokens, readRun } from './run-tool.ts';

describe('readRun', () => {
  test('keeps the bytes of the JSON-RPC response', () => {
    const response = '{"jsonrpc":"2.0","id":1,"result":{"data": {"response":1.10 }}}';
    const run = readRun(
      { a: 1 },
      `{"upstreamMs":5.2,"bytes":9,"durationMs":6,"response":${response}}`,
    );
    expect(run.text).toBe(response);
    expect(run.result?.data).toEqual({ response: 1.1 });
    expect(run.cost).toEqual({
      upstreamMs: 5.2,
      bytes: 9,
      durationMs: 6,
      tokens: expect.any(Number),
    });
  });

  test('reads a failed call', () => {
    const body =
      '{"upstreamMs":null,"bytes":0,"durationMs":6,"response":{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"No."}}}';
    expect(readRun({}, body)).toMatchObject({ result: null, error: { message: 'No.' } });
  });
});

test('countTokens counts four ASCII characters, or one other, as a token', () => {
  expect(countTokens('')).toBe(0);
  expect(countTokens('abcdefgh')).toBe(2);
  expect(countTokens('한글ab')).toBe(3);
  expect(countTokens('한'.repeat(1_000_000))).toBe(1_000_000);
});
