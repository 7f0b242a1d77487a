import { describe, expect, test } from 'vitest';
import { ERROR_TABLE } from '../../src/platform/kernel/error-table.ts';
import { codeOf, countTokens, readRun, splitIssues } from './run-tool.ts';

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

test('codeOf names a code of the table for every reason', () => {
  const reasons = Object.values(ERROR_TABLE).flatMap(({ reason }) => reason ?? []);
  for (const reason of reasons) {
    expect(Object.keys(ERROR_TABLE)).toContain(
      codeOf({ code: -32000, message: '', data: { reason } }),
    );
  }
  const refused = (data?: { errors: [] }) =>
    codeOf({ code: -32602, message: '', ...(data ? { data } : {}) });
  expect([refused(), refused({ errors: [] })]).toEqual(['tool_not_found', 'invalid_arguments']);
  expect(codeOf({ code: -32600, message: '' })).toBeUndefined();
});

test('countTokens counts four ASCII characters, or one other, as a token', () => {
  expect(countTokens('')).toBe(0);
  expect(countTokens('abcdefgh')).toBe(2);
  expect(countTokens('한글ab')).toBe(3);
  expect(countTokens('한'.repeat(1_000_000))).toBe(1_000_000);
});

describe('splitIssues', () => {
  test('gives each field its own issues, as sentences', () => {
    const issues = [
      { path: '/lat', message: 'must be a number.' },
      { path: '/lat', message: 'must be at most 90.' },
      { path: '/a~1b~0', message: 'is unknown.' },
    ];
    expect(splitIssues(issues, ['lat', 'a/b~'])).toEqual({
      byName: { lat: 'Must be a number. Must be at most 90.', 'a/b~': 'Is unknown.' },
      others: [],
    });
  });

  test('says where within an argument it is', () => {
    const issues = [{ path: '/businesses/0/b_no', message: 'is required.' }];
    expect(splitIssues(issues, ['businesses']).byName).toEqual({
      businesses: '0.b_no: is required.',
    });
  });

  test('keeps what belongs to no field', () => {
    const issues = [
      { path: '', message: 'must have lat or nx.' },
      { path: '/other', message: 'is unknown.' },
    ];
    expect(splitIssues(issues, ['lat'])).toEqual({ byName: {}, others: issues });
  });
});
