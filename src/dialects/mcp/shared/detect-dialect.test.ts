import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PACKAGE_ROOT } from '../../../platform/kernel/shipped-files.ts';
import { type DialectName, detectDialect } from './detect-dialect.ts';
import { REVISIONS } from './revisions.ts';

const EVENTS = { accept: 'application/json, text/event-stream' };
const version = (revision: string) => ({ 'mcp-protocol-version': revision });
const call = (meta?: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/list',
  params: meta === undefined ? {} : { _meta: meta },
});
const OPENING = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18' },
};
const MARK = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
const dialectFor = (
  headers: Record<string, string | undefined>,
  body: unknown = call(),
  query: Record<string, string> = {},
): DialectName => detectDialect({ headers, query }, body);

describe('the dialect of a request', () => {
  it.each<[string, DialectName]>([
    ['curl', dialectFor({ accept: '*/*', 'user-agent': 'curl/8.5.0' })],
    ['axios', dialectFor({ accept: 'application/json, text/plain, */*' })],
    ['a client without Accept', dialectFor({})],
    [
      'a client that accepts similar types',
      dialectFor({ accept: 'text/event-streams, x-text/event-stream' }),
    ],
    ['a plain call with a _meta', dialectFor({}, call({ progressToken: 1 }))],
    ['a batch', dialectFor({}, [call(), call()])],
    ['a body that is not JSON-RPC', dialectFor({}, 'text')],
    ['initialize within a batch', dialectFor({}, [OPENING])],
    ['initialize without a revision', dialectFor({}, { ...OPENING, params: {} })],
    ['a body that could not be read', dialectFor({}, undefined)],
  ])('of %s is plain', (_, dialect) => {
    expect(dialect).toBe('plain');
  });

  it.each<[string, DialectName]>([
    ['Accept with both types', dialectFor(EVENTS)],
    ['Accept the other way round', dialectFor({ accept: 'text/event-stream, application/json' })],
    ['Accept in capitals and with a weight', dialectFor({ accept: 'TEXT/Event-Stream;q=0.5' })],
    ['an earlier revision', dialectFor(version('2025-06-18'))],
    ['an unknown revision', dialectFor(version('2024-01-01'))],
    ['a session', dialectFor({ 'mcp-session-id': 'any' })],
    ['a batch with its Accept', dialectFor(EVENTS, [call()])],
    ['initialize alone', dialectFor({}, OPENING)],
    ['initialize beside an unknown revision', dialectFor(version('2027-01-01'), OPENING)],
    ['a body that could not be read', dialectFor(EVENTS, undefined)],
  ])('with %s is Streamable HTTP', (_, dialect) => {
    expect(dialect).toBe('streamable-http');
  });

  it.each<[string, DialectName]>([
    ['a mark in _meta', dialectFor({}, call(MARK))],
    [
      'a mark of an unknown revision',
      dialectFor({}, call({ ...MARK, [Object.keys(MARK)[0] ?? '']: 7 })),
    ],
    ['a mark beside an earlier revision', dialectFor(version('2025-11-25'), call(MARK))],
    ['a mark beside a session', dialectFor({ 'mcp-session-id': 'any', ...EVENTS }, call(MARK))],
    ['its revision', dialectFor(version('2026-07-28'))],
    ['a later revision', dialectFor(version('2027-01-01'))],
    ['a revision that is not a date', dialectFor(version('draft'))],
    ['a mark within a batch', dialectFor({}, [call(), call(MARK)])],
  ])('with %s is stateless', (_, dialect) => {
    expect(dialect).toBe('stateless');
  });

  it('is HTTP+SSE if the address contains a session, whatever the headers and the body', () => {
    const headers = fc.record(
      { accept: fc.string(), 'mcp-protocol-version': fc.string(), 'mcp-session-id': fc.string() },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(headers, fc.jsonValue(), (given, body) => {
        expect(dialectFor(given, body, { sessionId: 'sse_1' })).toBe('http-sse');
      }),
    );
  });

  it('is plain for every body without a mark if no header is a sign of MCP', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (body) => {
        expect(dialectFor({ accept: 'application/json' }, body)).toBe('plain');
      }),
    );
  });
});

it.each(REVISIONS)('docs/mcp.md names the revision $date', ({ date }) => {
  expect(readFileSync(join(PACKAGE_ROOT, 'docs/mcp.md'), 'utf8')).toContain(date);
});
