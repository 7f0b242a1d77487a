import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DialectName, detectDialect } from './detect-dialect.ts';

const EVENTS = { accept: 'application/json, text/event-stream' };
const version = (revision: string) => ({ 'mcp-protocol-version': revision });
const call = (meta?: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/list',
  params: meta === undefined ? {} : { _meta: meta },
});
const CLAIM = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
const eraFor = (
  headers: Record<string, string | undefined>,
  body: unknown = call(),
  query: Record<string, string> = {},
): DialectName => detectDialect({ headers, query }, body);

describe('the dialect of a request', () => {
  it.each<[string, DialectName]>([
    ['curl', eraFor({ accept: '*/*', 'user-agent': 'curl/8.5.0' })],
    ['axios', eraFor({ accept: 'application/json, text/plain, */*' })],
    ['a client without Accept', eraFor({})],
    ['a client of another type', eraFor({ accept: 'text/event-streams, x-text/event-stream' })],
    ['a plain call with a _meta of its own', eraFor({}, call({ progressToken: 1 }))],
    ['a batch', eraFor({}, [call(), call()])],
    ['what is no JSON-RPC', eraFor({}, 'text')],
    ['a body that could not be read', eraFor({}, undefined)],
  ])('of %s is plain', (_, dialect) => {
    expect(dialect).toBe('plain');
  });

  it.each<[string, DialectName]>([
    ['Accept with both types', eraFor(EVENTS)],
    ['Accept the other way round', eraFor({ accept: 'text/event-stream, application/json' })],
    ['Accept in capitals and with a weight', eraFor({ accept: 'TEXT/Event-Stream;q=0.5' })],
    ['an earlier revision', eraFor(version('2025-06-18'))],
    ['a revision that never was', eraFor(version('2024-01-01'))],
    ['a session', eraFor({ 'mcp-session-id': 'any' })],
    ['a batch with its Accept', eraFor(EVENTS, [call()])],
    ['a body that could not be read', eraFor(EVENTS, undefined)],
  ])('with %s is Streamable HTTP', (_, dialect) => {
    expect(dialect).toBe('streamable-http');
  });

  it.each<[string, DialectName]>([
    ['a claim in _meta', eraFor({}, call(CLAIM))],
    [
      'a claim of an unknown revision',
      eraFor({}, call({ ...CLAIM, [Object.keys(CLAIM)[0] ?? '']: 7 })),
    ],
    ['a claim beside an earlier revision', eraFor(version('2025-11-25'), call(CLAIM))],
    ['a claim beside a session', eraFor({ 'mcp-session-id': 'any', ...EVENTS }, call(CLAIM))],
    ['its revision', eraFor(version('2026-07-28'))],
    ['a later revision', eraFor(version('2027-01-01'))],
    ['a revision that is no date', eraFor(version('draft'))],
    ['a claim within a batch', eraFor({}, [call(), call(CLAIM)])],
  ])('with %s is stateless', (_, dialect) => {
    expect(dialect).toBe('stateless');
  });

  it('is that of the stream for which it names the session, whatever else it says', () => {
    const headers = fc.record(
      { accept: fc.string(), 'mcp-protocol-version': fc.string(), 'mcp-session-id': fc.string() },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(headers, fc.jsonValue(), (given, body) => {
        expect(eraFor(given, body, { sessionId: 'sse_1' })).toBe('http-sse');
      }),
    );
  });

  it('is plain for every body without a claim, where the headers say nothing', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (body) => {
        expect(eraFor({ accept: 'application/json' }, body)).toBe('plain');
      }),
    );
  });
});
