import { describe, expect, it } from 'vitest';
import { registerText } from '../../../test/support/compile-text.ts';
import { DefinitionError } from '../document/definition-error.ts';
import {
  MAX_DOCUMENT_DEPTH,
  MAX_REGISTERED_OPERATIONS,
  MAX_REGISTERED_SCHEMA_SIZE,
  MAX_REGISTERED_TOOL_LENGTH,
  MAX_REGISTERED_TOOLS_LENGTH,
  MAX_SCHEMA_DEPTH,
} from '../document/document-limits.ts';
import type { RegisteredPolicy } from './compile-policy.ts';

const text = { type: 'string' };
const ENDLESS = `^${'('.repeat(20)}\\d+${')+'.repeat(20)}x$`;
const good = { get: { operationId: 'good', description: 'Works.' } };

/** A document with these path items, as JSON. */
const documentWith = (paths: Record<string, unknown>, rest: Record<string, unknown> = {}): string =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'T' },
    servers: [{ url: 'https://api.example.com' }],
    ...rest,
    paths,
  });

/** A parameter `q` of the query with this schema. */
const q = (schema: unknown, rest = {}): unknown => ({ name: 'q', in: 'query', schema, ...rest });

describe('what is wrong with one operation of a registered API', () => {
  const bad = (operation: unknown) => ({ '/bad': { get: operation }, '/good': good });
  const param = (value: unknown): unknown => ({ operationId: 'bad', parameters: [value] });
  const deep = Array.from({ length: MAX_SCHEMA_DEPTH / 2 }).reduce<unknown>(
    (schema) => ({ type: 'object', properties: { x: schema } }),
    text,
  );

  it.each([
    ['a broken $ref', param({ $ref: '#/components/parameters/None' }), 'parameters/0/$ref'],
    ['a broken $ref in a schema', param(q({ $ref: '#/none' })), 'parameters/0/schema/$ref'],
    ['an external $ref', param(q({ $ref: 'https://evil.example/x' })), 'parameters/0/schema/$ref'],
    ['parameters outside of an array', { parameters: {} }, 'parameters'],
    ['an unusable server', { servers: [{ url: 'ftp://h' }] }, 'servers/0/url'],
    ['an over-deep schema', param(q(deep)), ''],
    ['a pattern that takes long on any text', param(q({ ...text, pattern: ENDLESS })), ''],
    ['a secret', param(q(text, { 'x-secret': 'PATH' })), 'parameters/0/x-secret'],
    ['a string instead of an object', 'none', ''],
  ])('refuses that operation only: %s', async (_, operation, place) => {
    const { api, operations } = await registerText(documentWith(bad(operation)));
    expect(api.tools.map(({ name }) => name)).toEqual(['good']);
    const pointer = `/paths/~1bad/get${place && `/${place}`}`;
    expect(operations).toMatchObject([
      { path: '/bad', tool: null, outcome: 'refused', pointer, reason: expect.any(String) },
      { path: '/good', tool: 'good', outcome: 'accepted', reason: null },
    ]);
    // Says what is wrong, and ends as a sentence.
    expect(operations[0]?.reason).toMatch(/^\S.*\.$/);
  });

  it.each([
    ['an undeclared path parameter', '/bad/{id}', {}, 'no path parameter'],
    ['an unsupported style', '/bad', param(q(text, { style: 'matrix' })), 'style'],
    ['a header of HTTP', '/bad', param({ name: 'Host', in: 'header' }), 'callers cannot set it'],
    ['a default that does not match', '/bad', param(q({ ...text, default: 1 })), 'default'],
    ['a keyword with a wrong value', '/bad', param(q({ type: 'strnig' })), '"strnig" is unknown'],
    ['an invalid pattern', '/bad', param(q({ ...text, pattern: '(a+' })), 'pattern'],
    [
      'an invalid pattern of names',
      '/bad',
      param(q({ patternProperties: { '(': {} } })),
      'pattern',
    ],
    ['a body of a GET', '/bad', { requestBody: {} }, 'cannot have one'],
  ])('changes that operation only: %s', async (_, path, operation, reason) => {
    const { api, operations } = await registerText(
      documentWith({ [path]: { get: operation }, '/good': good }),
    );
    expect(api.tools).toHaveLength(2);
    expect(operations).toMatchObject([
      { outcome: 'changed', reason: expect.stringContaining(reason) },
      { outcome: 'accepted' },
    ]);
  });

  it('refuses every operation that uses a broken shared schema, directly or not', async () => {
    const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
    const big = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`p${i}`, text]));
    const schemas = {
      Broken: { type: 'object', properties: { a: { $ref: '#/none' } } },
      Outer: { type: 'object', properties: { broken: ref('Broken') } },
      // Too large to be inlined, and part of a cycle.
      Large: { type: 'object', properties: { ...big, self: ref('Large'), broken: ref('Broken') } },
      Fine: { type: 'object', properties: { ...big, self: ref('Fine') } },
    };
    const names = ['Broken', 'Outer', 'Large', 'Fine'];
    const paths = Object.fromEntries(
      [...names, ...names].map((name, i) => [`/${i}`, { get: { parameters: [q(ref(name))] } }]),
    );
    const { operations } = await registerText(documentWith(paths, { components: { schemas } }));
    const outcomes = ['refused', 'refused', 'refused', 'accepted'];
    expect(operations.map(({ outcome }) => outcome)).toEqual([...outcomes, ...outcomes]);
    for (const { pointer, outcome } of operations) {
      if (outcome === 'refused')
        expect(pointer).toBe('/components/schemas/Broken/properties/a/$ref');
    }
  });

  it('refuses a body that cannot be written, and says so in a warning', async () => {
    const post = (mediaType: string) => ({
      post: { requestBody: { content: { [mediaType]: { schema: text } } } },
    });
    const { operations, warnings } = await registerText(
      documentWith({
        '/image': post('image/png'),
        '/bytes': post('application/octet-stream'),
        '/xml': post('application/soap+xml; charset=utf-8'),
        '/csv': post('text/csv'),
        '/any': post('*/*'),
      }),
    );
    expect(operations.map(({ outcome }) => outcome)).toEqual([
      'refused',
      'refused',
      'accepted',
      'accepted',
      'accepted',
    ]);
    expect(warnings.map(({ message }) => message).join()).toContain(
      'unsupported media type image/png',
    );
  });

  it('refuses a schema that is too large', async () => {
    const wide = (count: number) => ({
      properties: Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, text])),
    });
    const outcomes = async (schemas: readonly unknown[]) => {
      const paths = schemas.map((schema, i) => [`/${i}`, { get: { parameters: [q(schema)] } }]);
      const { operations } = await registerText(documentWith(Object.fromEntries(paths)));
      return operations.map(({ outcome }) => outcome);
    };
    // Each property is a schema with one keyword, and so is `q`.
    const count = MAX_REGISTERED_SCHEMA_SIZE / 2 - 1;
    expect(await outcomes([wide(count), wide(count + 1), wide(count)])).toEqual([
      'accepted',
      'refused',
      'accepted',
    ]);
  });

  it('bounds the length of a tool, and of all tools, which may share one long text', async () => {
    const outcomes = async (length: number, count: number) => {
      const shared = { type: 'string', enum: ['x'.repeat(length)] };
      const paths = Array.from({ length: count }, (_, i) => [
        `/${i}`,
        { get: { parameters: [q({ $ref: '#/components/schemas/Shared' })] } },
      ]);
      const { operations } = await registerText(
        documentWith(Object.fromEntries(paths), { components: { schemas: { Shared: shared } } }),
      );
      return operations.map(({ outcome }) => outcome);
    };
    expect(await outcomes(MAX_REGISTERED_TOOL_LENGTH, 1)).toEqual(['refused']);
    const half = MAX_REGISTERED_TOOL_LENGTH / 2;
    const fitting = Math.floor(MAX_REGISTERED_TOOLS_LENGTH / (half + 2000));
    const all = await outcomes(half, fitting + 10);
    expect(all.slice(0, fitting)).not.toContain('refused');
    expect(all.at(-1)).toBe('refused');
  });

  it('sends XML with a schema as a string, and reports the change', async () => {
    const content = { 'application/xml': { schema: { type: 'object' } } };
    const { api, operations } = await registerText(
      documentWith({ '/xml': { post: { requestBody: { required: true, content } } } }),
    );
    expect(api.tools[0]?.inputSchema['properties']).toEqual({ body: text });
    expect(operations).toMatchObject([{ outcome: 'changed' }]);
  });

  it('gives parameters distinct names that model APIs take, sends their own, and reports it', async () => {
    const names = [
      '$filter',
      'filter',
      'StartTime<',
      'StartTime>',
      'ids[]',
      '이름',
      'x'.repeat(65),
    ];
    const parameters = names.map((name) => ({ name, in: 'query', schema: text }));
    const { api, operations } = await registerText(documentWith({ '/a': { get: { parameters } } }));
    const [tool] = api.tools;
    const given = Object.keys((tool?.inputSchema['properties'] ?? {}) as object);
    expect(given.slice(0, 6)).toEqual([
      'filter',
      'filter_query',
      'StartTime_lt',
      'StartTime_gt',
      'ids',
      'argument',
    ]);
    expect(given[6]).toMatch(/^x{55}_[0-9a-f]{8}$/);
    expect(tool?.inputSchema).toMatchObject({
      properties: { filter: { description: 'Sent as $filter.' }, filter_query: text },
    });
    expect(tool?.parameters.map(({ name }) => name)).toEqual(names);
    expect(operations).toMatchObject([
      { outcome: 'changed', reason: expect.stringContaining('"$filter" is named "filter"') },
    ]);
  });

  it('says that a document has no operations', async () => {
    const { warnings } = await registerText(documentWith({}));
    expect(warnings).toMatchObject([{ message: 'The document has no operations.' }]);
  });

  it('leaves out a path item that cannot be read, with a warning', async () => {
    const { api, warnings } = await registerText(
      documentWith({ '/bad': { $ref: '#/none' }, bad: good, '/good': good }),
    );
    expect(api.tools.map(({ path }) => path)).toEqual(['/good']);
    expect(warnings).toMatchObject([{ pointer: '/paths/~1bad/$ref' }]);
  });
});

describe('a document that cannot be compiled at all', () => {
  const refused = (document: string, policy?: Omit<RegisteredPolicy, 'kind'>) =>
    expect(registerText(document, policy)).rejects.toThrow(DefinitionError);

  it('has no paths, too many operations or too much depth', async () => {
    await refused(JSON.stringify({ openapi: '3.1.0' }));
    const many = (count: number) =>
      documentWith(Object.fromEntries(Array.from({ length: count }, (_, i) => [`/${i}`, good])));
    expect((await registerText(many(MAX_REGISTERED_OPERATIONS))).api.tools).toHaveLength(
      MAX_REGISTERED_OPERATIONS,
    );
    await refused(many(MAX_REGISTERED_OPERATIONS + 1));
    const some = { include: [{ path: '/1*' }] };
    expect((await registerText(many(MAX_REGISTERED_OPERATIONS + 1), some)).api.tools.length).toBe(
      1111,
    );
    await refused(`{"openapi":"3.1.0","paths":${'['.repeat(MAX_DOCUMENT_DEPTH + 1)}`);
  });
});

describe('the names of registered tools', () => {
  const namesOf = async (paths: Record<string, unknown>) => {
    const { api, operations } = await registerText(documentWith(paths));
    return { names: api.tools.map(({ name }) => name), operations };
  };

  it('are distinct when ids are normalised alike: the first keeps the name', async () => {
    const { names, operations } = await namesOf({
      '/a': { get: { operationId: 'get-it' } },
      '/b': { get: { operationId: 'get.it' } },
      '/c': { get: { operationId: 'GET_IT' }, post: { operationId: 'get_b' } },
    });
    expect(names).toEqual(['get_it', 'get_b_2', 'get_c', 'get_b']);
    expect(operations.map(({ outcome }) => outcome)).toEqual([
      'accepted',
      'changed',
      'changed',
      'accepted',
    ]);
    expect(operations[1]?.reason).toContain('"get_it"');
  });

  it('come from method and path without an operationId, even if many are alike', async () => {
    const { names } = await namesOf({
      '/날씨': { get: {} },
      '/예보': { get: {} },
      '/a/{b}': { get: { operationId: '조회' }, post: {} },
    });
    expect(names).toEqual(['get_root', 'get_root_2', 'get_a_b', 'post_a_b']);
  });

  it('have at most 64 characters, and stay distinct', async () => {
    const long = `/${'x'.repeat(80)}`;
    const { names, operations } = await namesOf({
      [long]: { get: { operationId: 'y'.repeat(80) } },
      [`${long}-`]: { get: { operationId: 'y'.repeat(80) } },
      [`${long}--`]: { get: { operationId: 'y'.repeat(80) } },
    });
    expect(new Set(names).size).toBe(3);
    for (const name of names) expect(name).toMatch(/^[a-z0-9_]{1,64}$/);
    expect(operations[0]).toMatchObject({ outcome: 'changed' });
  });
});

describe('the choice of operations', () => {
  const paths = {
    '/pets': {
      get: { operationId: 'listPets', tags: ['pets'] },
      post: { operationId: 'addPet', tags: ['pets', 'admin'] },
    },
    '/pets/{id}': { get: { operationId: 'getPet', tags: ['pets'] } },
    '/users': { get: {} },
  };
  const chosen = async (policy: Omit<RegisteredPolicy, 'kind'>): Promise<string[]> => {
    const { api, operations } = await registerText(documentWith(paths), policy);
    expect(operations).toHaveLength(api.tools.length);
    return api.tools.map(({ name }) => name);
  };

  it.each([
    [{ include: [{ tag: 'admin' }] }, ['addpet']],
    [{ include: [{ method: 'get' }] }, ['listpets', 'getpet', 'get_users']],
    [{ include: [{ path: '/pets/*' }] }, ['getpet']],
    [{ include: [{ operationId: 'list*' }, { path: '/users' }] }, ['listpets', 'get_users']],
    [{ include: [{ tag: 'pets', method: 'POST' }] }, ['addpet']],
    [{ exclude: [{ tag: 'pets' }] }, ['get_users']],
    [{ include: [{ tag: 'pets' }], exclude: [{ method: 'POST' }] }, ['listpets', 'getpet']],
    [{ include: [] }, []],
  ])('%j', async (policy, names) => {
    expect(await chosen(policy)).toEqual(names);
  });

  it('that leaves none is a warning', async () => {
    const { warnings } = await registerText(documentWith(paths), { include: [{ tag: 'x' }] });
    expect(warnings).toMatchObject([{ message: expect.stringContaining('leave no operation') }]);
  });
});

describe('the address of a registered API', () => {
  it('can be replaced, but not that of an operation with servers of its own', async () => {
    const servers = [{ url: 'https://other.example.com/' }];
    const { api } = await registerText(
      documentWith({ '/a': good, '/b': { servers, get: {} } }, { servers: [{ url: '/relative' }] }),
      { baseUrl: 'https://api.example.com/v2/' },
    );
    expect(api.baseUrl).toBe('https://api.example.com/v2');
    expect(api.tools.map(({ baseUrl }) => baseUrl)).toEqual([
      'https://api.example.com/v2',
      'https://other.example.com',
    ]);
  });

  it('is shown as it is used', async () => {
    const { api } = await registerText(
      documentWith({ '/a': good }, { servers: [{ url: 'https://ｅxample.com\\@evil.example' }] }),
    );
    expect(api.baseUrl).toBe('https://example.com/@evil.example');
  });
});
