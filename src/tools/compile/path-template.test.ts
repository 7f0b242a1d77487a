import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { registerText } from '../../../test/support/compile-text.ts';
import type { Tool } from '../model.ts';
import { createRequestEncoder } from '../request/request-encoder.ts';

const BASE = 'https://api.example.com/v1';

/** What a registration makes of one path, whose parameters have these names. */
async function register(path: string, names: readonly string[] = []) {
  const parameters = names.map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const { api, operations } = await registerText(
    JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'Paths' },
      servers: [{ url: BASE }],
      paths: { [path]: { get: { operationId: 'read', parameters } } },
    }),
  );
  const [tool] = api.tools;
  return { tool, reason: operations[0]?.reason ?? null, outcome: operations[0]?.outcome };
}

/** The names of the arguments, without those that choose rows. */
const argumentsOf = ({ inputSchema }: Tool): string[] =>
  Object.keys(inputSchema['properties'] ?? {}).filter((name) => !name.startsWith('_'));

/** The path that a call sends, below the base address, and the names of the arguments. */
async function send(path: string, names: readonly string[], args: Record<string, string>) {
  const { tool } = await register(path, names);
  if (!tool) return undefined;
  const sent = createRequestEncoder(tool)(args, () => undefined).path.slice('/v1'.length);
  return { sent, properties: argumentsOf(tool) };
}

describe('the path template of a framework', () => {
  it.each([
    ['/x/{proxy+}', 'proxy', 'a/b c', '/x/a/b%20c'],
    ['/files/{file_path:path}', 'file_path', 'a/b.txt', '/files/a/b.txt'],
    ['/files/{*rest}', 'rest', 'a/b', '/files/a/b'],
    ['/files/{**rest}', 'rest', 'a/', '/files/a/'],
    ['/files/{rest*}', 'rest', 'a/b', '/files/a/b'],
    ['/files/{rest:.+}', 'rest', 'a/b', '/files/a/b'],
    ['/files/{+name}', 'name', 'a/b', '/files/a/b'],
    ['/v1/{name=projects/*}:cancel', 'name', 'projects/p', '/v1/projects/p:cancel'],
    ['/v1/{name=*}', 'name', 'a/b', '/v1/a%2Fb'],
    ['/files/{id:[0-9]{3}}', 'id', '123', '/files/123'],
    ['/files/{id:[^/]+}/x', 'id', 'a/b', '/files/a%2Fb/x'],
    ['/files/{id:int:min(1)}', 'id', '7', '/files/7'],
    ['/files/{id?}', 'id', '7', '/files/7'],
    ['/d/{ id }', 'id', '1', '/d/1'],
    ['/d{/id}', 'id', '1', '/d/1'],
    ['/d/a{.ext}', 'ext', 'json', '/d/a.json'],
    ['/d/{id}{?page,size}', 'id', '1', '/d/1'],
    ['/f/:id', 'id', '7', '/f/7'],
    ['/f/:id(\\d+).json', 'id', '7', '/f/7.json'],
    ['/f/*rest', 'rest', 'a/b', '/f/a/b'],
    ['/f/:rest*', 'rest', 'a/b', '/f/a/b'],
    ['/f/<id>', 'id', '7', '/f/7'],
    ['/f/<int:id>/x', 'id', '7', '/f/7/x'],
    ['/f/<path:id>', 'id', 'a/b', '/f/a/b'],
  ])('%s has the plain argument %s', async (path, name, value, expected) => {
    const content = /\{([^?]*?)\}(?!\})/.exec(path)?.[1] ?? name;
    // Authors declare the parameter by its plain name, as the path writes it, or, where there are braces, not at all.
    for (const names of [[name], [content], ...(/[{<]/.test(path) ? [[]] : [])]) {
      const { tool, outcome, reason } = await register(path, names);
      expect(outcome).toBe('changed');
      expect(reason).toMatch(/^The path /);
      expect(tool?.path).not.toMatch(/[+*=?<:](?!cancel)/);
      expect(await send(path, names, { [name]: value })).toEqual({
        sent: expected,
        properties: [name],
      });
    }
  });

  it.each(['/a:batchGet', '/v1/:search', '/f/-:cancel', '/a/*', '/a/**', '/a/b=c,d;e'])(
    'is not seen in %s',
    async (path) => {
      const { tool, outcome } = await register(path);
      expect([tool?.path, outcome]).toEqual([path, 'accepted']);
      expect(await send(path, [], {})).toEqual({ sent: path, properties: [] });
    },
  );

  it('leaves custom verbs after a variable as they are', async () => {
    const path = '/v1/things/{id}:cancel';
    expect((await register(path, ['id'])).outcome).toBe('accepted');
    expect(await send(path, ['id'], { id: 'a' })).toMatchObject({ sent: '/v1/things/a:cancel' });
  });

  it('keeps apart what would have the same name', async () => {
    const path = '/a/{id:int}/{id:[a-z]+}';
    const { tool } = await register(path);
    expect(tool && argumentsOf(tool)).toEqual(['id_int', 'id_a-z']);
  });

  it('lets a value of several segments leave neither the path nor the host', async () => {
    for (const value of ['../a', 'a/../b', 'a/%2e%2e/b', '/evil.example', 'a//b', '', 'a\\b']) {
      await expect(send('/{proxy+}', ['proxy'], { proxy: value })).rejects.toThrow('proxy');
    }
    expect(await send('/{proxy+}', ['proxy'], { proxy: 'a?b#c' })).toMatchObject({
      sent: '/a%3Fb%23c',
    });
  });

  it('is read in time, and sends to the same origin, whatever it is', async () => {
    const piece = fc.oneof(
      fc.constantFrom('{', '}', ':', '*', '/', '<', '>', '(', ')', '+', '=', ' ', 'id', '[^', '.*'),
      fc.string({ maxLength: 5 }),
    );
    const paths = fc.array(piece, { maxLength: 12 }).map((pieces) => `/${pieces.join('')}`);
    await fc.assert(
      fc.asyncProperty(paths, async (path) => {
        const { tool } = await register(path, ['id']);
        if (!tool) return;
        const names = Object.keys(tool.inputSchema['properties'] ?? {});
        const args = Object.fromEntries(names.map((name) => [name, 'v']));
        const { origin, path: sent } = createRequestEncoder(tool)(args, () => undefined);
        expect(new URL(origin + sent).origin).toBe(new URL(BASE).origin);
        expect(sent.startsWith('/v1/')).toBe(true);
      }),
    );
    const startMs = performance.now();
    for (const part of ['{', '{a:', '[^', '<a', ' ', '(', '/:id(', '{ ']) {
      await register(`/{id:${part.repeat(5000)}}`, ['id']);
      await register(`/${part.repeat(5000)}`, ['id']);
    }
    // Less than a second on an idle machine; what grows with the square of the text takes minutes.
    expect(performance.now() - startMs).toBeLessThan(60_000);
  });
});
