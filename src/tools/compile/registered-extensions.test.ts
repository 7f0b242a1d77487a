import { describe, expect, it } from 'vitest';
import { documentOf, registerText } from '../../../test/support/compile-text.ts';
import type { Tool } from '../model.ts';
import { MAX_STRANGERS_TTL_SECONDS } from './extension-table.ts';
import { MAX_WARNINGS } from './findings.ts';

const text = { type: 'string' };

/** The tool and the messages of a document with one operation, of the given method. */
async function register(
  operation: object,
  { method = 'get', rest = {} }: { method?: string; rest?: Record<string, unknown> } = {},
) {
  const document = documentOf({ [method]: { operationId: 'x', ...operation } }, rest);
  const { api, operations, warnings } = await registerText(document);
  const [tool] = api.tools;
  return { tool: tool as Tool, operations, warnings: warnings.map(({ message }) => message) };
}

describe('an extension in a registered API', () => {
  it.each([
    ['x-mcp-content', true],
    ['x-personal', ['q']],
    ['x-step-back', 3],
  ])('has no effect if it is for presets only: %s', async (key, value) => {
    const parameters = [{ name: 'q', in: 'query', schema: text, 'x-default': 'today-kst' }];
    const { tool, operations, warnings } = await register({
      [key]: value,
      'x-items': '/a',
      parameters,
    });
    expect(tool).toMatchObject({ returnsMcpContent: false, personal: [], stepBack: 0 });
    expect(operations).toMatchObject([{ outcome: 'accepted' }]);
    expect(warnings).toContain(`${key} is only for presets. It was ignored.`);
  });

  it('has no effect either where only a reference leads to it', async () => {
    const operation = { operationId: 'x', 'x-mcp-content': true, 'x-cache-ttl': 1e9 };
    const { api } = await registerText(
      documentOf({ $ref: '#/x-hidden/item' }, { 'x-hidden': { item: { get: operation } } }),
    );
    expect(api.tools).toMatchObject([
      { returnsMcpContent: false, cacheTtlSeconds: MAX_STRANGERS_TTL_SECONDS },
    ]);
  });

  it('declares only a POST read-only', async () => {
    for (const method of ['post', 'put', 'patch', 'delete']) {
      const { tool, warnings } = await register({ 'x-read-only': true }, { method });
      expect(tool.annotations.readOnlyHint).toBe(method === 'post');
      expect(warnings).toHaveLength(method === 'post' ? 0 : 1);
      if (method !== 'post') expect(tool.cacheTtlSeconds).toBe(0);
    }
  });

  it('has responses reused for a day at most', async () => {
    const long = await register({ 'x-cache-ttl': 86_401 });
    expect(long.tool.cacheTtlSeconds).toBe(MAX_STRANGERS_TTL_SECONDS);
    expect(long.warnings).toEqual(['x-cache-ttl is more than a day. 86400 seconds are used.']);
    const root = await register({}, { rest: { 'x-cache-ttl': 1e12 } });
    expect(root.tool.cacheTtlSeconds).toBe(MAX_STRANGERS_TTL_SECONDS);
    expect((await register({ 'x-cache-ttl': 30 })).tool.cacheTtlSeconds).toBe(30);
  });

  it('describes the data of a portal', async () => {
    const rest = { 'x-public-data': true, 'x-vendor-licence': 'KOGL-1' };
    const parameters = [
      { name: 'base_date', in: 'query', required: true, schema: text, 'x-default': 'today-kst' },
      { name: 'nx', in: 'query', required: true, schema: { type: 'integer' } },
      { name: 'ny', in: 'query', required: true, schema: { type: 'integer' } },
    ];
    const { tool, operations, warnings } = await register(
      {
        parameters,
        'x-items': '/response/body/items/item',
        'x-success': { code: '/response/header/resultCode' },
        'x-total': '/response/body/totalCount',
        'x-grid': true,
      },
      { rest },
    );
    expect(operations).toMatchObject([{ outcome: 'accepted' }]);
    expect(warnings).toEqual([]);
    expect(tool).toMatchObject({
      isPublicData: true,
      payload: {
        items: '/response/body/items/item',
        total: '/response/body/totalCount',
        success: { code: ['/response/header/resultCode'] },
      },
    });
    expect(tool.alternative?.extension).toBe('x-grid');
    expect(tool.inputSchema['required']).toEqual([]);
    expect(tool.parameters[0]?.source).toMatchObject({
      computedDefault: { expression: 'today-kst' },
    });
    expect(tool.secrets).toEqual([]);
  });

  it.each([
    ['x-total', 3],
    ['x-items', 'rows'],
    ['x-success', 'yes'],
    ['x-grid', 'no'],
    ['x-cache-ttl', 'long'],
    ['x-fixed', null],
  ])('with a wrong value is ignored, with a warning: %s', async (key, value) => {
    const { tool, operations, warnings } = await register({ [key]: value });
    expect(tool.payload).toMatchObject({ items: null, total: null, success: null });
    expect(tool.cacheTtlSeconds).toBe(60);
    expect(operations).toMatchObject([{ outcome: 'accepted' }]);
    expect(warnings).toEqual([expect.stringMatching(new RegExp(`^${key} .*It was ignored\\.$`))]);
  });

  it.each([
    ['x-default', 5],
    ['x-default', 'tomorrow'],
    ['x-fixed', null],
  ])('of a parameter with a wrong value is ignored, with a warning: %s: %j', async (key, value) => {
    const parameters = [{ name: 'q', in: 'query', schema: text, [key]: value }];
    const { tool, operations, warnings } = await register({ parameters });
    expect(tool.parameters[0]?.source).toEqual({ kind: 'argument', property: 'q' });
    expect(operations).toMatchObject([{ outcome: 'accepted' }]);
    expect(warnings).toHaveLength(1);
  });

  it('of another vendor is not mentioned', async () => {
    const { warnings } = await register({
      'x-amazon-apigateway-integration': {},
      'x-readme': {},
      'x-codeSamples': [],
      'x-internal': true,
      'x-vendor-licence': 'CC0',
    });
    expect(warnings).toEqual([]);
  });

  it('cannot fill the report with warnings', async () => {
    const keys = Array.from({ length: 26 * 26 }, (_, i) => {
      const letters = String.fromCharCode(97 + (i % 26), 97 + Math.floor(i / 26));
      return [`x-ite${letters}`, 1];
    });
    const { warnings } = await register(Object.fromEntries(keys));
    expect(warnings.length).toBeLessThanOrEqual(MAX_WARNINGS + 1);
    const repeated = Array.from({ length: 500 }, (_, i) => ({
      name: `q${i}`,
      in: 'query',
      schema: text,
      'x-default': 5,
    }));
    expect((await register({ parameters: repeated })).warnings).toHaveLength(1);
  });
});
