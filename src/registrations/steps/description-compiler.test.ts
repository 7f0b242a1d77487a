import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleDocuments } from '../../../test/oas-examples/documents.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { Deadline } from '../../platform/kernel/time.ts';
import { PUBLIC_DATA_TOOLS } from '../../public-data/tool-domain.ts';
import type { Tool } from '../../tools/model.ts';
import { NO_FACTS } from '../../tools/proposal.ts';
import type { AuthScheme } from '../request/registration-request.ts';

import { givenDocument } from '../store/documents.ts';
import {
  createDescriptionCompiler,
  type DescriptionCompiler,
  type DescriptionCompilerOptions,
} from './description-compiler.ts';
import { readDescription } from './read-description.ts';

const script = new URL('../../compose/description-worker.ts', import.meta.url);
const URLS = { allowPrivate: false, ownHosts: new Set(['gateway.example']) };
const NONE: AuthScheme = { type: 'none' };
const BEARER: AuthScheme = { type: 'bearer' };
const NO_OPTIONS = { baseUrl: null, include: null, exclude: [] };

const open = (more: Partial<DescriptionCompilerOptions> = {}): DescriptionCompiler =>
  createDescriptionCompiler({
    script,
    domain: PUBLIC_DATA_TOOLS,
    urls: URLS,
    maxHeapMib: 512,
    // The largest descriptions here take a slow machine longer than the gateway allows.
    timeoutMs: 150_000,
    ...more,
  });

const limits = () => ({
  deadline: Deadline.in(150_000),
  signal: new AbortController().signal,
  tenantId: 'ten_1',
});

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A description of operations of a shop; `more` replaces its members. */
const shop = (more: object = {}): string =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Shop', version: '1' },
    servers: [{ url: 'https://shop.example/v1' }],
    paths: {
      '/goods': { get: { operationId: 'list', description: 'Lists goods.', responses: {} } },
      '/orders': { post: { operationId: 'order', description: 'Orders goods.', responses: {} } },
    },
    ...more,
  });

describe('the compiler of descriptions', () => {
  let compiler: DescriptionCompiler;
  beforeAll(() => {
    compiler = open();
  });
  afterAll(() => compiler.close());

  const compile = (text: string | Uint8Array, more: object = {}, of = compiler) =>
    of.compile(
      {
        document: givenDocument(typeof text === 'string' ? bytes(text) : text),
        descriptionUrl: null,
        name: 'Shop',
        scheme: NONE,
        options: NO_OPTIONS,
        ...more,
      },
      limits(),
    );
  const failure = async (text: string | Uint8Array, more: object = {}, of = compiler) => {
    const error = await compile(text, more, of).catch((thrown: unknown) => thrown);
    if (!(error instanceof GatewayError)) throw new Error(`Not refused: ${String(error)}`);
    return { code: error.code, message: error.message, path: error.details.errors?.[0]?.path };
  };
  const load = async (text: string, tools: readonly string[], more: object = {}) => {
    const stored = {
      document: givenDocument(bytes(text)),
      descriptionUrl: null,
      name: 'Shop',
      scheme: NONE,
      options: NO_OPTIONS,
      origins: ['https://shop.example'],
      tools,
      ...more,
    };
    return (await compiler.load(stored, 'ten_1')).loaded;
  };

  it('returns the base address, names, traits and report', async () => {
    const { baseUrl, tools, traits, report } = await compile(shop());
    expect(baseUrl).toBe('https://shop.example/v1');
    expect(tools).toEqual(['list', 'order']);
    expect(traits['list']?.origin).toBe('https://shop.example');
    expect(report).toMatchObject({ tools: 2, operations: { length: 2 } });
  });

  it('changes the trait of what has changed, and no other', async () => {
    const before = (await compile(shop())).traits['list'];
    const operation = { operationId: 'list', description: 'Lists goods.', responses: {} };
    const changes = {
      description: { ...operation, description: 'Lists all goods.' },
      parameters: { ...operation, parameters: [{ name: 'q', in: 'query' }] },
      request: { ...operation, 'x-cache-ttl': 5 },
      origin: { ...operation, servers: [{ url: 'https://other.example/v1' }] },
    };
    for (const [trait, get] of Object.entries(changes)) {
      const after = (await compile(shop({ paths: { '/goods': { get } } }))).traits['list'];
      const differing = Object.entries(after ?? {})
        .filter(([name, value]) => value !== before?.[name as keyof typeof before])
        .map(([name]) => name);
      expect(differing).toContain(trait);
      expect(differing.filter((name) => !['request', trait].includes(name))).toEqual([]);
    }
  });

  it('binds the credential to the origin of the base address, and to no other', async () => {
    const paths = {
      '/own': { get: { operationId: 'own', responses: {} } },
      '/away': {
        get: { operationId: 'away', servers: [{ url: 'https://evil.example' }], responses: {} },
      },
    };
    const { tools } = await load(shop({ paths }), ['own', 'away'], { scheme: BEARER });
    expect(tools.map(({ name, secrets }) => [name, secrets])).toEqual([
      ['own', ['credential']],
      ['away', []],
    ]);
  });

  it.each([
    'http://127.1/v1',
    'http://0x7f000001',
    'https://[::ffff:10.0.0.1]/',
    'https://metadata.internal/',
    'https://gateway.example/mcp',
  ])('refuses the operations of a server that the gateway does not call: %s', async (url) => {
    const own = { operationId: 'own', servers: [{ url: 'https://own.example' }], responses: {} };
    const paths = { '/a': { get: { operationId: 'a', responses: {} } }, '/b': { get: own } };
    const { tools, report } = await compile(shop({ servers: [{ url }], paths }));
    expect(tools).toEqual(['own']);
    expect(report).toMatchObject({
      operations: [{ outcome: 'refused', reason: expect.stringContaining('cannot be called') }, {}],
    });
  });

  it('resolves relative servers against the address of the document', async () => {
    const text = shop({ servers: [{ url: '/v2' }] });
    const descriptionUrl = 'https://docs.example/openapi.json';
    expect((await compile(text, { descriptionUrl })).baseUrl).toBe('https://docs.example/v2');
  });

  it('needs a base address for a credential, but not for operations with servers of their own', async () => {
    const get = { operationId: 'a', servers: [{ url: 'https://a.example/x' }], responses: {} };
    const text = shop({ servers: [{ url: '/relative' }], paths: { '/a': { get } } });
    expect((await compile(text)).baseUrl).toBe('https://a.example/x');
    expect(await failure(text, { scheme: BEARER })).toMatchObject({
      code: 'unprocessable',
      message: expect.stringContaining('base_url'),
    });
  });

  it.each([
    ['a page', '<!doctype html><html></html>', 'This is a page'],
    ['another encoding', Uint8Array.from([0x7b, 0xff, 0xfe]), 'not UTF-8'],
    ['nothing', '', ''],
    ['broken JSON', '{"openapi":', ''],
    ['no description', '{"swagger":"1.2"}', ''],
    ['no paths', shop({ paths: undefined }), 'no paths'],
  ])('names what is wrong with %s', async (_name, text, message) => {
    const refused = await failure(text);
    expect(refused.code).toBe('unprocessable');
    expect(refused.message).toContain(message);
    expect(refused.message.length).toBeGreaterThan(10);
  });

  it('survives cycles, and refuses only what they make too large', async () => {
    const schema = { $ref: '#/components/schemas/Node' };
    const components = {
      schemas: { Node: { type: 'object', properties: { next: schema, other: schema } } },
    };
    const post = {
      operationId: 'grow',
      requestBody: { content: { 'application/json': { schema } } },
      responses: {},
    };
    const { tools } = await compile(shop({ components, paths: { '/n': { post } } }));
    expect(tools).toEqual(['grow']);
  });

  it('refuses aliases that expand without end', async () => {
    const layers = 'abcdefghij'
      .split('')
      .map((name, at, all) => `${name}: &${name} [${at ? `*${all[at - 1]},`.repeat(9) : 'x'}]`);
    const text = `openapi: 3.1.0\ninfo: {title: a, version: '1'}\npaths: {}\nx:\n  ${layers.join('\n  ')}`;
    expect(await failure(text)).toMatchObject({ code: 'unprocessable' });
  });

  it('loads what it compiled: the same tools, with their functions', {
    timeout: 180_000,
  }, async () => {
    const description = {
      descriptionUrl: 'https://docs.example/openapi.json',
      name: 'Example',
      scheme: BEARER,
      options: NO_OPTIONS,
    };
    for (const [name, text] of exampleDocuments()) {
      const document = bytes(text);
      const whole = { ...description, document, origins: ['https://api.example.com'] };
      const expected = await readDescription(whole, {
        domain: PUBLIC_DATA_TOOLS,
        urls: URLS,
      }).catch(() => undefined);
      if (!expected) continue;
      const names = expected.api.tools.map((tool) => tool.name);
      const stored = { ...whole, document: givenDocument(document), tools: names };
      const { tools, bytes: size } = (await compiler.load(stored, 'ten_1')).loaded;
      expect([name, tools.map(shape)]).toEqual([name, expected.api.tools.map(shape)]);
      expect(size > 0 || names.length === 0).toBe(true);
    }
  });

  it('restores the computed defaults and alternatives of a data portal', async () => {
    const get = {
      operationId: 'weather',
      'x-items': '/items',
      parameters: [
        { name: 'base_date', in: 'query', schema: { type: 'string' }, 'x-default': 'kst-today' },
        { name: 'nx', in: 'query', schema: { type: 'integer' }, required: true },
        { name: 'ny', in: 'query', schema: { type: 'integer' }, required: true },
      ],
      responses: {},
    };
    const text = shop({ 'x-public-data': true, paths: { '/w': { get } } });
    const { tools } = await load(text, ['weather']);
    const [tool] = tools;
    const functions = tool?.parameters.flatMap(({ source }) =>
      source.kind === 'argument' && source.computedDefault ? [source.computedDefault.compute] : [],
    );
    expect(functions?.every((each) => typeof each === 'function')).toBe(true);
    if (tool?.alternative) expect(tool.alternative.apply).toBe(PUBLIC_DATA_TOOLS.alternative.apply);
  });

  it('leaves out tools that the description no longer has', async () => {
    const { tools } = await load(shop(), ['order', 'gone', 'list']);
    expect(tools.map(({ name }) => name)).toEqual(['order', 'list']);
  });

  it('ends a description that takes too long, and continues with the next', async () => {
    const hasty = open({ timeoutMs: 1 });
    const large = shop({ info: { title: 'x'.repeat(5_000_000), version: '1' } });
    expect(await failure(large, {}, hasty)).toMatchObject({
      code: 'unprocessable',
      message: expect.stringContaining('too long'),
    });
    await hasty.close();
    expect((await compile(shop())).tools).toHaveLength(2);
  });

  it('starts a small description again beside the large ones if it takes long', async () => {
    const hasty = open({ smallTimeoutMs: 1 });
    expect((await compile(shop(), {}, hasty)).tools).toHaveLength(2);
    await hasty.close();
  });

  it('compiles small descriptions beside a large one, and large ones by turns of tenants', async () => {
    const gate = Promise.withResolvers<void>();
    const order: string[] = [];
    const large = (name: string, tenantId: string) => {
      const read = async () => {
        order.push(name);
        await gate.promise;
        return bytes(shop());
      };
      const input = { descriptionUrl: null, name, scheme: NONE, options: NO_OPTIONS };
      return compiler.compile({ ...input, document: { isLarge: true, read } }, of(tenantId));
    };
    const of = (tenantId: string) => ({ ...limits(), tenantId });
    const all = [large('a1', 'ten_a'), large('a2', 'ten_a'), large('b1', 'ten_b')];
    expect((await compile(shop())).tools).toHaveLength(2);
    expect(order).toEqual(['a1']);
    gate.resolve();
    await Promise.all(all);
    expect(order).toEqual(['a1', 'b1', 'a2']);
  });

  it('gives compiled tools the stamp by which they are found, and another one for anything else', async () => {
    const { compiledTools, tools } = await compile(shop());
    const stored = {
      descriptionUrl: null,
      name: 'Shop',
      scheme: NONE,
      options: NO_OPTIONS,
      origins: ['https://shop.example'],
      tools,
    };
    expect(compiledTools?.stamp).toBe(compiler.stampOf(stored));
    const { loaded } = await compiler.load(
      { ...stored, document: givenDocument(bytes(shop())) },
      '',
    );
    const unpacked = await compiler.unpack(compiledTools?.content ?? bytes(''));
    expect(unpacked.tools.map(shape)).toEqual(loaded.tools.map(shape));
    expect(unpacked.baseUrl).toBe('https://shop.example/v1');
    const strict = open({ urls: { ...URLS, allowPrivate: true } });
    const others = [
      compiler.stampOf({ ...stored, scheme: BEARER }),
      compiler.stampOf({ ...stored, origins: ['https://shop.example', 'https://b.example'] }),
      compiler.stampOf({ ...stored, tools: ['list'] }),
      compiler.stampOf({
        ...stored,
        options: { ...NO_OPTIONS, baseUrl: 'https://c.example' },
      }),
      strict.stampOf(stored),
    ];
    expect(new Set([compiledTools?.stamp, ...others])).toHaveLength(others.length + 1);
    await strict.close();
  });

  it('does not store tools beyond four megabytes, and reads nothing that is broken', async () => {
    const noise = () => randomBytes(150).toString('base64');
    const get = (n: number) => ({
      operationId: `o${n}`,
      parameters: [
        {
          name: 'q',
          in: 'query',
          schema: { type: 'string', enum: Array.from({ length: 250 }, noise) },
        },
      ],
      responses: {},
    });
    const paths = Object.fromEntries(
      Array.from({ length: 140 }, (_, n) => [`/${n}`, { get: get(n) }]),
    );
    const { tools, compiledTools } = await compile(shop({ paths }));
    expect([tools.length > 100, compiledTools]).toEqual([true, null]);
    await expect(compiler.unpack(bytes('broken'))).rejects.toThrow();
  });

  it('refuses operations that share a large schema beyond what the tools of an API may have together', {
    timeout: 180_000,
  }, async () => {
    const choices = Array.from({ length: 500 }, (_, n) => `${n}`.padEnd(450, 'x'));
    const post = {
      requestBody: {
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Order' } } },
      },
      responses: {},
    };
    const sharing = (operations: number) =>
      shop({
        components: {
          schemas: { Order: { type: 'object', properties: { choice: { enum: choices } } } },
        },
        paths: Object.fromEntries(
          Array.from({ length: operations }, (_, n) => [`/orders/${n}`, { post }]),
        ),
      });
    expect((await compile(sharing(10))).tools).toHaveLength(10);
    const { tools, report } = await compile(sharing(2000));
    expect(tools.length).toBeLessThan(100);
    expect(JSON.stringify(report)).toContain('characters together');
  });

  it('survives a description that needs more memory than a thread has', async () => {
    const small = open({ maxHeapMib: 16 });
    const rows = Array.from({ length: 400_000 }, (_, n) => ({ [`k${n}`]: n }));
    expect(await failure(shop({ 'x-rows': rows }), {}, small)).toMatchObject({
      code: 'unprocessable',
      message: expect.stringContaining('values'),
    });
    const texts = Array.from({ length: 15 }, (_, n) => `${n}`.repeat(1_000_000));
    expect(await failure(shop({ 'x-texts': texts }), {}, small)).toMatchObject({
      code: 'unprocessable',
      message: expect.stringContaining('memory'),
    });
    expect((await compile(shop(), {}, small)).tools).toHaveLength(2);
    await small.close();
  });

  it('refuses work beyond its queue, and everything once it is closed', async () => {
    const full = open();
    const codeOf = () => full.propose(EMPTY, 'ten_1').catch((error: GatewayError) => error.code);
    const all = await Promise.all(Array.from({ length: 300 }, codeOf));
    expect(new Set(all)).toEqual(new Set(['unprocessable', 'overloaded']));
    await full.close();
    expect(await codeOf()).toBe('unavailable');
  });

  it('does not start a job whose time is over', async () => {
    const late = { ...limits(), deadline: Deadline.in(0) };
    const input = {
      document: givenDocument(bytes(shop())),
      descriptionUrl: null,
      name: 'Shop',
      scheme: NONE,
      options: NO_OPTIONS,
    };
    await expect(compiler.compile(input, late)).rejects.toMatchObject({ code: 'unavailable' });
  });
});

const EMPTY = { document: givenDocument(Buffer.alloc(0)), url: null, facts: NO_FACTS };

/** A tool with its functions by name: two functions are never equal otherwise. */
const shape = (tool: Tool): unknown =>
  JSON.parse(
    JSON.stringify(tool, (_key, value) => (typeof value === 'function' ? 'function' : value)),
  );
