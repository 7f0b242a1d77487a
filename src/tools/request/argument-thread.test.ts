import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { documentOf, postWith, registerText } from '../../../test/support/compile-text.ts';
import { workerScript } from '../../platform/kernel/worker-queue.ts';
import type { JsonSchema, Tool } from '../model.ts';
import { type ArgumentThread, createArgumentThread } from './argument-thread.ts';
import { createArgumentReader, rulesOf } from './read-arguments.ts';
import { type ResolveCode, resolveNothing } from './resolve-code.ts';

const query = (name: string, schema: JsonSchema, more: object = {}) => ({
  name,
  in: 'query',
  schema,
  ...more,
});

async function toolWith(...parameters: readonly object[]): Promise<Tool> {
  const { api } = await registerText(
    JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'T', version: '1' },
      servers: [{ url: 'https://api.example.com' }],
      paths: { '/t': { get: { operationId: 't', parameters } } },
    }),
  );
  const [tool] = api.tools;
  if (!tool) throw new Error('The operation was refused.');
  return tool;
}

describe('the thread that checks arguments', () => {
  let thread: ArgumentThread;
  beforeAll(() => {
    thread = createArgumentThread({ script: workerScript('./argument-worker', import.meta.url) });
  });
  afterAll(() => thread.close());

  const read = (
    tool: Tool,
    args: Record<string, unknown>,
    resolveCode: ResolveCode = resolveNothing,
  ) => thread.read(tool, args, { resolveCode, tenantId: 'ten_1' });
  const issuesOf = async (tool: Tool, args: Record<string, unknown>) =>
    (await read(tool, args)).issues;

  it('reads arguments as the event loop does, defaults and corrections included', async () => {
    const tool = await toolWith(
      query('count', { type: 'integer', minimum: 1 }, { required: true }),
      query('unit', { type: 'string', enum: ['C', 'F'], default: 'C' }),
      query('tags', { type: 'array', items: { type: 'string' } }),
      query('__proto', { type: 'string' }),
    );
    const here = createArgumentReader(rulesOf(tool));
    const all = [
      { count: 1 },
      { count: '1', unit: 'f', tags: 'a,b' },
      { count: 0, more: 1 },
      {},
      JSON.parse('{"count":1,"__proto__":{"a":1},"constructor":2}'),
    ];
    for (const args of all) {
      const expected = await here(args, resolveNothing);
      expect(await read(tool, args)).toEqual(expected);
    }
  });

  it.each([
    ['^(a+)+$', `${'a'.repeat(60)}!`],
    ['^(?:\\p{1,200})+$', `${'p'.repeat(60)}!`],
    ['^(?:\\u{1,200})+$', `${'u'.repeat(60)}!`],
    ['\\k<(?:a+)+>', `k<${'a'.repeat(60)}`],
    ['^(?=(a+)+b)', 'a'.repeat(60)],
    ['(a*)*\\1b', 'a'.repeat(60)],
  ])('ends the check of the pattern %s, and names the argument', async (pattern, value) => {
    const tool = await toolWith(query('first', { type: 'string' }), query('q', { pattern }));
    expect(await issuesOf(tool, { first: 'x', q: value })).toEqual([
      { path: '/q', message: expect.stringContaining('longer than 100 ms to check') },
    ]);
    expect(await issuesOf(tool, { first: 'x', q: 'no' })).not.toEqual([
      expect.objectContaining({ message: expect.stringContaining('to check') }),
    ]);
  });

  it('ends the check of a recursive choice, whose work multiplies with every level', async () => {
    const form = (name: string) => ({
      type: 'object',
      properties: { next: { $ref: '#/components/schemas/Node' }, [name]: { type: 'integer' } },
      additionalProperties: false,
    });
    const { api } = await registerText(
      documentOf(postWith({ $ref: '#/components/schemas/Node' }), {
        components: { schemas: { Node: { anyOf: ['a', 'b', 'c', 'd'].map(form) } } },
      }),
    );
    const [tool] = api.tools as [Tool];
    const nest = (levels: number): unknown =>
      levels === 0 ? { e: 1 } : { next: nest(levels - 1) };
    expect(await issuesOf(tool, { body: { a: 1 } })).toEqual([]);
    expect(await issuesOf(tool, { body: nest(30) })).toMatchObject([
      { path: '/body', message: expect.stringContaining('longer than 100 ms to check') },
    ]);
  });

  it('refuses arguments whose check cannot be built', async () => {
    const tool = await toolWith(query('q', { type: 'string' }));
    const inputSchema = { properties: { q: { pattern: '(' } } };
    expect(await issuesOf({ ...tool, inputSchema, version: 'broken' }, { q: 'x' })).toMatchObject([
      { path: '', message: expect.stringContaining('cannot be checked') },
    ]);
  });

  it('matches patterns and formats on strings of any length', async () => {
    const tool = await toolWith(
      query('digits', { type: 'string', pattern: '^\\d+$' }),
      query('mail', { type: 'string', format: 'email' }),
    );
    const paths = (
      await issuesOf(tool, { digits: `${'1'.repeat(500)}x`, mail: 'a'.repeat(5000) })
    ).map(({ path }) => path);
    expect(paths).toEqual(['/digits', '/mail']);
  });

  it('continues with the calls behind one that is ended', async () => {
    const slow = await toolWith(query('q', { pattern: '^(a+)+$' }));
    const quick = await toolWith(query('q', { type: 'integer' }));
    const all = await Promise.all([
      issuesOf(slow, { q: `${'a'.repeat(60)}!` }),
      issuesOf(quick, { q: 1 }),
      issuesOf(slow, { q: `${'a'.repeat(60)}!` }),
      issuesOf(quick, { q: 2 }),
    ]);
    expect(all.map(({ length }) => length)).toEqual([1, 0, 1, 0]);
  });

  it('looks names up on the event loop', async () => {
    const tool = await toolWith(
      query('lat', { type: 'number' }, { required: true }),
      query('lon', { type: 'number' }, { required: true }),
    );
    const asked: unknown[] = [];
    const { checked, issues } = await read(tool, { place: 'Seoul' }, async (kind, text) => {
      asked.push([kind, text]);
      return { code: 'x', lat: 37.5, lon: 127 };
    });
    expect([checked, issues]).toEqual([{ lat: 37.5, lon: 127 }, []]);
    expect(asked).toEqual([['place', 'Seoul']]);
  });

  it('refuses what no schema permits before anything is sent to it', async () => {
    const tool = await toolWith(query('q', { type: 'array', items: {} }));
    expect(await issuesOf(tool, { q: new Array(1001).fill(1) })).toMatchObject([{ path: '/q' }]);
  });

  it('keeps the digits of a number that a double cannot hold', async () => {
    const tool = await toolWith(query('q', { type: 'array', items: { type: 'integer' } }));
    const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
    const { checked, issues } = await read(tool, { q: [rawJSON('12345678901234567890'), 1] });
    expect([checked, issues]).toEqual([{ q: ['12345678901234567890', 1] }, []]);
  });

  it('lets no tenant have more than 64 calls waiting, and takes those of others', async () => {
    const slow = await toolWith(query('q', { pattern: '^(a+)+$' }));
    const call = (tenantId: string) =>
      thread.read(slow, { q: 'aaa' }, { resolveCode: resolveNothing, tenantId });
    const many = await Promise.allSettled(Array.from({ length: 70 }, () => call('ten_many')));
    expect(many.filter(({ status }) => status === 'rejected')).toMatchObject(
      new Array(many.filter(({ status }) => status === 'rejected').length).fill({
        reason: { code: 'overloaded' },
      }),
    );
    expect(many.some(({ status }) => status === 'rejected')).toBe(true);
    expect((await call('ten_other')).issues).toEqual([]);
  });
});
