import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compileText,
  documentOf,
  getWith,
  issuesOf,
  postWith,
  REGISTERED,
  registerText,
  toolOf,
} from '../../../test/support/compile-text.ts';
import { MANY_RUNS } from '../../../test/support/property-runs.ts';
import { DefinitionError } from '../document/definition-error.ts';
import { createArgumentValidator } from '../request/argument-validator.ts';
import { createRequestEncoder } from '../request/request-encoder.ts';
import { PRESET } from './compile-policy.ts';

const text = { type: 'string' };
const query = (name: string, rest = {}): unknown => ({ name, in: 'query', schema: text, ...rest });

/** The root of a preset whose key is the data portal's. */
const portalKey = {
  type: 'apiKey',
  in: 'query',
  name: 'key',
  'x-secret': 'PUBLIC_DATA_SERVICE_KEY',
};
const withPortalKey = { security: [{ s: [] }], components: { securitySchemes: { s: portalKey } } };
const publicData = { ...withPortalKey, 'x-public-data': true };

describe('a tool', () => {
  it.each([
    ['getUltraSrtNcst', 'getultrasrtncst'],
    ['kma_ultra_short_nowcast', 'kma_ultra_short_nowcast'],
    ['a-b.c/d', 'a_b_c_d'],
  ])('of operation %s is named %s', async (operationId, name) => {
    expect((await toolOf({ get: { operationId } })).name).toBe(name);
  });

  it('has annotations that follow from its method', async () => {
    const hints = async (method: string, rest = {}): Promise<unknown> =>
      (await toolOf({ [method]: { operationId: 'x', ...rest } })).annotations;
    const hint = (readOnlyHint: boolean, destructiveHint: boolean, openWorldHint = false) => ({
      readOnlyHint,
      destructiveHint,
      openWorldHint,
    });
    expect(await hints('get')).toEqual(hint(true, false));
    expect(await hints('head')).toEqual(hint(true, false));
    expect(await hints('post')).toEqual(hint(false, false));
    expect(await hints('post', { 'x-read-only': true })).toEqual(hint(true, false));
    expect(await hints('put')).toEqual(hint(false, true));
    expect(await hints('delete', { 'x-open-world': true })).toEqual(hint(false, true, true));
    expect(await hints('get', { summary: 'S' })).toEqual({ title: 'S', ...hint(true, false) });
  });

  it('may be cached for a minute if it only reads, or for the declared time', async () => {
    const ttl = async (operation: unknown, root = {}): Promise<number> =>
      (await toolOf(operation, root)).cacheTtlSeconds;
    expect(await ttl({ get: { operationId: 'x' } })).toBe(60);
    expect(await ttl({ get: { operationId: 'x' } }, { 'x-cache-ttl': 5 })).toBe(5);
    expect(await ttl({ get: { operationId: 'x', 'x-cache-ttl': 0 } }, { 'x-cache-ttl': 5 })).toBe(
      0,
    );
    expect(await ttl({ post: { operationId: 'x' } }, { 'x-cache-ttl': 5 })).toBe(0);
    const search = { operationId: 'x', 'x-read-only': true, 'x-cache-ttl': 7 };
    expect(await ttl({ post: search })).toBe(7);
  });

  it('knows where the rows, the count and the result code are', async () => {
    const root = { 'x-items': '/items', 'x-total': '/total', 'x-success': { code: '/code' } };
    expect((await toolOf({ get: { operationId: 'x' } }, root)).payload).toMatchObject({
      items: '/items',
      total: '/total',
      success: { code: ['/code'], values: [], empty: ['03'], present: null, failure: null },
    });
    const success = { present: '/a', failure: '/b', values: [1], empty: [] };
    const operation = { operationId: 'x', 'x-items': '', 'x-success': success };
    expect((await toolOf({ get: operation }, root)).payload).toMatchObject({
      items: '',
      total: '/total',
      success: { code: [], values: ['1'], empty: [], present: '/a', failure: '/b' },
    });
  });

  it('has another version if anything about it differs', async () => {
    const versions = await Promise.all(
      [query('a'), query('b'), query('a', { explode: false })].map(
        async (parameter) => (await toolOf(getWith(parameter))).version,
      ),
    );
    expect(new Set(versions).size).toBe(3);
    expect((await toolOf(getWith(query('a')))).version).toBe(versions[0]);
  });

  it('takes its URL from the closest servers, with the defaults of their variables', async () => {
    const servers = [
      { url: 'https://{host}/{v}/', variables: { host: { default: 'h' }, v: { default: 2 } } },
    ];
    const address = async (item: unknown, rest = {}): Promise<string> =>
      (await toolOf(item, rest)).baseUrl;
    expect(await address({ get: { operationId: 'x', servers } })).toBe('https://h/2');
    expect(await address({ servers, get: { operationId: 'x' } })).toBe('https://h/2');
    expect(await address({ get: { operationId: 'x' } })).toBe('https://api.example.com/v1');
    const options = { documentUrl: 'https://docs.example.com/a/openapi.json' };
    const relative = await toolOf(getWith(), { servers: [{ url: '../b' }] }, options);
    expect(relative.baseUrl).toBe('https://docs.example.com/b');
    const none = await toolOf(getWith(), { servers: undefined }, options);
    expect(none.baseUrl).toBe('https://docs.example.com');
  });

  it.each([
    ['api.example.com/v1', null, 'https://api.example.com/v1'],
    ['api.example.com:8443', 'http://docs.example.com/', 'https://api.example.com:8443'],
    ['//api.example.com/v1', null, 'https://api.example.com/v1'],
    ['v1.2/pets', 'https://docs.example.com/', 'https://docs.example.com/v1.2/pets'],
  ])('has a scheme where the author left it out: %s', async (url, documentUrl, address) => {
    const options = documentUrl === null ? {} : { documentUrl };
    expect((await toolOf(getWith(), { servers: [{ url }] }, options)).baseUrl).toBe(address);
  });
});

describe('the arguments of a tool', () => {
  const inputOf = async (operation: unknown, rest = {}): Promise<unknown> =>
    (await toolOf(operation, rest)).inputSchema;

  it('are its parameters and those of its path item, which it overrides', async () => {
    const item = {
      parameters: [query('a'), query('b')],
      get: { operationId: 'x', parameters: [query('b', { required: true, description: 'B.' })] },
    };
    expect(await inputOf(item)).toEqual({
      type: 'object',
      properties: { a: text, b: { ...text, description: 'B.' } },
      required: ['b'],
      additionalProperties: false,
    });
  });

  it('omit fixed values, secrets and headers that callers cannot set', async () => {
    const tool = await toolOf(
      getWith(
        query('format', { 'x-fixed': 'JSON' }),
        query('key', { 'x-secret': 'EXAMPLE_KEY' }),
        { name: 'Accept', in: 'header', schema: text },
        { name: 'authorization', in: 'header', schema: text },
      ),
    );
    expect(tool.inputSchema['properties']).toEqual({});
    expect(tool.secrets).toEqual(['EXAMPLE_KEY']);
    expect(tool.parameters.map(({ source }) => source.kind)).toEqual(['fixed', 'secret']);
  });

  it('are not required if the gateway fills them in', async () => {
    const parameters = [
      query('day', { required: true, 'x-default': 'today-kst' }),
      query('rows', { required: true, schema: { type: 'integer', default: 10 } }),
    ];
    const tool = await toolOf(getWith(...parameters));
    expect(tool.inputSchema['required']).toEqual([]);
    expect(tool.parameters[0]?.source).toEqual({
      kind: 'argument',
      property: 'day',
      computedDefault: { expression: 'today-kst', compute: expect.any(Function), unless: [] },
    });
  });

  it('of the same name in different locations, or with a reserved name, get distinct names', async () => {
    const tool = await toolOf({
      get: {
        operationId: 'x',
        parameters: [query('id'), { name: 'id', in: 'header', schema: text }, query('_fields')],
      },
    });
    expect(Object.keys(tool.inputSchema['properties'] as object)).toEqual([
      'id',
      'id_header',
      '_fields_query',
    ]);
  });

  it('have the styles that OpenAPI defines for each location', async () => {
    const item = (path: unknown): unknown => ({
      openapi: '3.1.0',
      info: { title: 'T' },
      servers: [{ url: 'https://h' }],
      paths: path,
    });
    const { tools } = await compileText(
      JSON.stringify(
        item({
          '/{a}': {
            get: {
              operationId: 'x',
              parameters: [
                { name: 'a', in: 'path', required: true, schema: text },
                query('b'),
                query('c', { style: 'deepObject' }),
                query('d', { style: 'pipeDelimited', explode: false, allowReserved: true }),
                { name: 'e', in: 'header', schema: text },
                { name: 'f', in: 'cookie', schema: text },
                { name: 'g', in: 'query', content: { 'application/json': { schema: text } } },
              ],
            },
          },
        }),
      ),
    );
    expect(tools[0]?.parameters.map(({ style, explode }) => `${style} ${explode}`)).toEqual([
      'simple false',
      'form true',
      'deepObject true',
      'pipeDelimited false',
      'simple false',
      'form true',
      'form true',
    ]);
    expect(tools[0]?.parameters[3]?.allowReserved).toBe(true);
    expect(tools[0]?.parameters[6]?.contentType).toBe('application/json');
  });

  it('offer a place beside a grid point in public data, and wherever it is said', async () => {
    const grid = getWith(query('nx', { required: true }), query('ny', { required: true }));
    const silent = await toolOf(grid);
    expect(silent.alternative).toBeNull();
    expect(silent.inputSchema['required']).toEqual(['nx', 'ny']);
    const tool = await toolOf(grid, publicData);
    expect(tool).toMatchObject({
      alternative: { extension: 'x-grid' },
      isPublicData: true,
      inputSchema: {
        properties: {
          nx: { description: expect.stringContaining('lat and lon') as string },
          lat: { type: 'number', minimum: 31.6, maximum: 43.5 },
          lon: { type: 'number' },
        },
        required: [],
      },
    });
    const said = (value: boolean): unknown => ({
      get: { operationId: 'x', 'x-grid': value, parameters: [query('nx'), query('ny')] },
    });
    expect((await toolOf(said(true))).alternative?.extension).toBe('x-grid');
    expect((await toolOf(said(false), publicData)).alternative).toBeNull();
  });

  it('knows what the codes of a provider mean, and where it says so in words', async () => {
    const rule = {
      code: ['/err', '/errCode'],
      message: '/text',
      causes: { '020': 'quota', ' 4 ': 'rate', 'HTTP 400': 'arguments' },
    };
    const tool = await toolOf(getWith(), { 'x-success': rule });
    expect(tool.payload.success).toMatchObject({
      ...rule,
      causes: { '020': 'quota', '4': 'rate', 'HTTP 400': 'arguments' },
    });
  });

  it('knows which rows to filter again, and which column lists rows', async () => {
    const get = { operationId: 'x', parameters: [query('NM')], 'x-filter': { NM: 'nm' } };
    const root = { 'x-items': '/rows', 'x-list-column': 'urls' };
    expect((await toolOf({ get }, root)).payload).toMatchObject({
      filters: [{ argument: 'NM', column: 'nm' }],
      listColumn: 'urls',
    });
  });
});

describe('a request body', () => {
  const person = {
    type: 'object',
    required: ['name'],
    properties: { name: text, age: { type: 'integer' } },
  };

  it('has its properties lifted if it is an object', async () => {
    const tool = await toolOf(postWith(person));
    expect(tool.inputSchema).toMatchObject({ properties: person.properties, required: ['name'] });
    expect(tool.body).toMatchObject({ kind: 'json', lifted: ['name', 'age'], required: true });
  });

  it('stays whole if a name clashes, or if it has rules beyond its properties', async () => {
    for (const operation of [
      postWith(person, { parameters: [query('name')] }),
      postWith({ ...person, properties: { ...person.properties, _limit: text } }),
      postWith({ ...person, additionalProperties: text }),
      postWith({ ...person, minProperties: 1 }),
      postWith({ type: 'array', items: person }),
      postWith(text),
    ]) {
      const tool = await toolOf(operation);
      expect(tool.body?.lifted).toBeNull();
      expect(tool.inputSchema).toMatchObject({ properties: { body: {} }, required: ['body'] });
    }
  });

  it('that is optional needs its required properties only if another one is given', async () => {
    const operation = {
      post: {
        operationId: 'x',
        requestBody: { content: { 'application/json': { schema: person } } },
      },
    };
    const tool = await toolOf(operation);
    expect(tool.inputSchema).toMatchObject({ required: [], dependentRequired: { age: ['name'] } });
    const validate = createArgumentValidator(tool);
    expect(validate({})).toEqual([]);
    expect(validate({ age: 5 })).toEqual([
      { path: '/name', message: '"name" is required when "age" is given.' },
    ]);
  });

  it('that is optional and large stays whole', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `p${index}`);
    const properties = Object.fromEntries(names.map((name) => [name, text]));
    const schema = { type: 'object', required: names, properties };
    const requestBody = { content: { 'application/json': { schema } } };
    const tool = await toolOf({ post: { operationId: 'x', requestBody } });
    expect(tool.body?.lifted).toBeNull();
  });

  it('hides fixed values and keeps them for the request', async () => {
    const schema = {
      ...person,
      properties: { ...person.properties, kind: { ...text, 'x-fixed': 'a' } },
    };
    const lifted = await toolOf(postWith(schema));
    expect(lifted.inputSchema['properties']).not.toHaveProperty('kind');
    expect(lifted.body).toMatchObject({ lifted: ['name', 'age'], fixed: { kind: 'a' } });
    const whole = await toolOf(postWith(schema, { parameters: [query('name')] }));
    expect(whole.inputSchema).not.toHaveProperty('properties.body.properties.kind');
    expect(whole.body?.fixed).toEqual({ kind: 'a' });
  });

  it('is JSON if there is a choice', async () => {
    const kindOf = async (...types: string[]): Promise<unknown> => {
      const content = Object.fromEntries(types.map((type) => [type, { schema: person }]));
      const operation = { post: { operationId: 'x', requestBody: { content } } };
      const { body } = await toolOf(operation);
      return [body?.kind, body?.contentType];
    };
    const form = 'application/x-www-form-urlencoded';
    expect(await kindOf('text/plain', form, 'application/json')).toEqual([
      'json',
      'application/json',
    ]);
    expect(await kindOf('application/vnd.api+json', form)).toEqual([
      'json',
      'application/vnd.api+json',
    ]);
    expect(await kindOf('*/*')).toEqual(['json', 'application/json']);
    expect(await kindOf('multipart/form-data', form)).toEqual(['form', form]);
    expect(await kindOf('multipart/form-data')).toEqual(['multipart', 'multipart/form-data']);
    expect(await kindOf('application/xml')).toEqual(['text', 'application/xml']);
  });
});

describe('a credential', () => {
  const secured = (scheme: unknown, security: unknown = [{ s: [] }]): Record<string, unknown> => ({
    security,
    components: { securitySchemes: { s: scheme } },
  });

  it.each([
    [{ type: 'apiKey', in: 'query', name: 'k' }, 'query', 'k', ''],
    [{ type: 'apiKey', in: 'header', name: 'X-K' }, 'header', 'X-K', ''],
    [{ type: 'apiKey', in: 'cookie', name: 'k' }, 'cookie', 'k', ''],
    [{ type: 'http', scheme: 'Bearer' }, 'header', 'Authorization', 'Bearer '],
    [{ type: 'http', scheme: 'basic' }, 'header', 'Authorization', 'Basic '],
    [{ type: 'oauth2', flows: {} }, 'header', 'Authorization', 'Bearer '],
  ])('of scheme %o goes where the scheme specifies', async (scheme, location, name, prefix) => {
    const tool = await toolOf(getWith(), secured({ ...scheme, 'x-secret': 'KEY' }));
    expect(tool.parameters).toMatchObject([
      { in: location, name, source: { kind: 'secret', secret: 'KEY', prefix } },
    ]);
    expect(tool.secrets).toEqual(['KEY']);
  });

  it('replaces a parameter of the same name', async () => {
    const rest = secured({ type: 'apiKey', in: 'query', name: 'serviceKey', 'x-secret': 'KEY' });
    const tool = await toolOf(getWith(query('serviceKey', { required: true })), rest);
    expect(tool.parameters).toHaveLength(1);
    expect(tool.inputSchema['properties']).toEqual({});
  });

  it('is not needed if the operation declares no security', async () => {
    const rest = secured({ type: 'http', scheme: 'bearer', 'x-secret': 'KEY' });
    expect((await toolOf({ get: { operationId: 'x', security: [] } }, rest)).secrets).toEqual([]);
    expect((await toolOf({ get: { operationId: 'x', security: [{}] } }, rest)).secrets).toEqual([]);
  });

  it('belongs to the first alternative whose secrets are known', async () => {
    const tool = await toolOf(getWith(), {
      security: [{ a: [] }, { b: [] }],
      components: {
        securitySchemes: {
          a: { type: 'openIdConnect' },
          b: { type: 'http', scheme: 'bearer', 'x-secret': 'B' },
        },
      },
    });
    expect(tool.secrets).toEqual(['B']);
  });

  it('comes from the registration, never from a third-party document', async () => {
    const scheme = { type: 'http', scheme: 'bearer' };
    expect((await toolOf(getWith(), secured(scheme), { policy: REGISTERED })).secrets).toEqual([]);
    const greedy = secured({ ...scheme, 'x-secret': 'PUBLIC_DATA_SERVICE_KEY' });
    const { api, operations } = await registerText(documentOf(getWith(), greedy));
    expect(api.tools).toEqual([]);
    expect(operations).toMatchObject([
      {
        outcome: 'refused',
        pointer: '/components/securitySchemes/s/x-secret',
        reason: expect.stringContaining('x-secret is only for presets'),
      },
    ]);
  });
});

describe('an invalid preset', () => {
  const HEAD = 'openapi: 3.1.0\ninfo: {title: T}\nservers: [{url: https://h}]\n';

  it('is reported with file and line for every issue', async () => {
    const issues = await issuesOf(`${HEAD}x-grib: true
paths:
  /a:
    get:
      summary: No id
    post:
      operationId: Twice
      parameters:
        - {name: q, in: nowhere}
        - {$ref: '#/components/parameters/Missing'}
  /b/{id}:
    get:
      operationId: twice
      x-cache-ttl: -1
      x-items: items
`);
    expect(issues).toEqual([
      'api.yaml:4: Unknown extension x-grib. Did you mean x-grid?',
      'api.yaml:17: x-cache-ttl must be a whole number of seconds, 0 for never.',
      'api.yaml:18: x-items must be a JSON pointer: "" or a string that starts with "/".',
      'api.yaml:7: The operation needs an operationId that contains letters or digits.',
      'api.yaml:12: `in` must be path, query, header or cookie.',
      'api.yaml:13: The $ref "#/components/parameters/Missing" has no target in this document.',
      `api.yaml:15: The path contains {id}, but no path parameter has this name: it is a required text argument.`,
      'api.yaml:15: The tool name "twice" is already used on line 9.',
    ]);
  });

  it('names an unknown type, both lines of a parameter, and examples that do not fit', async () => {
    const issues = await issuesOf(`${HEAD}paths:
  /a:
    get:
      operationId: a
      parameters:
        - {name: q, in: query, schema: {type: string}}
        - {name: p, in: query, schema: {type: [integer, list]}}
        - {name: r, in: query, schema: {type: strng}}
        - {name: q, in: query, schema: {type: string}}
        - name: day
          in: query
          schema: {$ref: '#/components/schemas/Day'}
          example: 2026-11-22
        - name: size
          in: query
          schema: {type: integer, maximum: 5}
          examples: {good: {value: 5}, bad: {value: 6}}
        - {name: code, in: query, schema: {type: string, enum: [x], example: y}}
components:
  schemas:
    Day: {type: string, pattern: '^[0-9]{8}$'}
`);
    const types = 'array, boolean, integer, null, number, object, string.';
    expect(issues).toEqual([
      'api.yaml:12: The parameter "q" is declared twice: on line 9 and on line 12.',
      `api.yaml:10: The type is left out: "list" is unknown. Known: ${types}`,
      `api.yaml:11: The type is left out: "strng" is unknown. Did you mean "string"? Known: ${types}`,
      'api.yaml:16: An example of "day" does not fit its schema: must match the pattern ^[0-9]{8}$, but is "2026-11-22".',
      'api.yaml:20: An example of "size" does not fit its schema: must be at most 5, but is 6.',
      'api.yaml:21: An example of "code" does not fit its schema: must be one of "x", but is "y".',
    ]);
  });

  const schemes = (scheme: unknown): Record<string, unknown> => ({
    security: [{ s: [] }],
    components: { securitySchemes: { s: scheme } },
  });

  /** A document whose only operation has these members. */
  const op = (members: object) => documentOf({ get: { operationId: 'x', ...members } });
  /** A document whose root has these members. */
  const root = (members: Record<string, unknown>) => documentOf(getWith(), members);
  /** A document with this parameter. */
  const parameter = (members: object) => documentOf(getWith(query('a', members)));
  const at = (members: object) => documentOf(getWith({ schema: text, ...members }));
  const url = (address: string) => root({ servers: [{ url: address }] });
  const success = (rule: object) => root({ 'x-success': rule });
  const NM = { parameters: [query('NM')], 'x-filter': { NM: 'nm' } };
  const many = Object.fromEntries(Array.from({ length: 201 }, (_, code) => [code, 'quota']));

  it.each([
    ['paths', '{"openapi":"3.1.0","info":{"title":"T"},"servers":[{"url":"https://h"}]}'],
    ['Unknown extension x-logo', op({ 'x-logo': 1 })],
    ['has no effect here', root({ 'x-grid': true })],
    ['must be one of', parameter({ 'x-default': 'now' })],
    ['name of an environment', parameter({ 'x-secret': 'sk-123' })],
    ['cannot be null', parameter({ 'x-fixed': null })],
    ['unknown member "kode"', success({ kode: '/a' })],
    ['at least one', success({})],
    ['JSON pointer', success({ code: 'a' })],
    ['needs a JSON pointer in "message"', success({ code: '/a', message: 'resultMsg' })],
    ['or 1 to 5 of them', success({ code: ['/a', '/b', '/c', '/d', '/e', '/f'] })],
    ['unknown cause for code "20" in "causes"; known: arg', success({ causes: { 20: 'limit' } })],
    ['needs an object in "causes"', success({ code: '/a', causes: ['quota'] })],
    ['1 to 100 characters', success({ causes: { ['9'.repeat(101)]: 'quota' } })],
    ['more than 200 codes', success({ causes: many })],
    [
      '"NM" is not an argument of this tool. Known: ',
      op({ 'x-items': '', 'x-filter': { NM: 'n' } }),
    ],
    ['must map 1 to 10 arguments to columns', op({ 'x-filter': ['NM'] })],
    ['x-filter has no effect without x-items', op(NM)],
    ['x-list-column has no effect without x-items', root({ 'x-list-column': 'urls' })],
    ['must be the name of the column', root({ 'x-items': '', 'x-list-column': 'u'.repeat(101) })],
    ['nx and ny', op({ 'x-grid': true })],
    ['names no secret', root(schemes({ type: 'http', scheme: 'bearer' }))],
    ['security scheme "z" is not defined', op({ security: [{ z: [] }] })],
    ['not supported', root(schemes({ type: 'mutualTLS' }))],
    ['callers cannot set it', at({ name: 'Host', in: 'header' })],
    ['is not a valid header name', at({ name: 'a\r\nb', in: 'header' })],
    ['it must be one of form', parameter({ style: 'simple' })],
    ['is declared twice', documentOf(getWith(query('a'), query('a')))],
    ['has no schema', documentOf(getWith({ name: 'a', in: 'query' }))],
    ['does not contain {a}', at({ name: 'a', in: 'path' })],
    ['cannot have one', op({ requestBody: { content: {} } })],
    ['has no media type', documentOf({ post: { operationId: 'x', requestBody: { content: {} } } })],
    ['longer than 64', op({ operationId: 'x'.repeat(65) })],
    ['must be absolute', url('/v1')],
    ['must be absolute', url('file:///etc')],
    ['credentials', url('https://u:p@h')],
    ['query', url('https://h/?a=1')],
    ['no default', url('https://{h}/')],
    ['is only for presets', root({ 'x-public-data': true })],
    ['needs x-public-data: true', root(withPortalKey)],
    ['never cached', documentOf({ put: { operationId: 'x', 'x-cache-ttl': 5 } })],
  ])('is rejected: %s (row %#)', async (reason, document) => {
    const issues = await issuesOf(document);
    expect(issues.join('\n')).toContain(reason);
    expect(issues.every((issue) => /^api\.yaml:\d+: /.test(issue))).toBe(true);
  });

  it('is not one that uses x- names for other purposes', async () => {
    const schema = { type: 'object', properties: { 'x-total': text }, example: { 'x-foo': 1 } };
    const operation = {
      post: {
        ...(postWith(schema) as { post: object }).post,
        responses: { 200: { description: 'ok', headers: { 'x-total': { schema: text } } } },
      },
    };
    expect(await issuesOf(documentOf(operation))).toEqual([]);
  });

  it('from a third party may have misspelt extensions of the gateway, with a warning', async () => {
    const misspelt = await registerText(documentOf({ get: { 'x-cahce-ttl': 5 } }));
    expect(misspelt.operations).toMatchObject([{ outcome: 'accepted' }]);
    expect(misspelt.warnings).toEqual([
      {
        pointer: '/paths/~1things/get/x-cahce-ttl',
        message: 'Unknown extension x-cahce-ttl. Did you mean x-cache-ttl?',
        count: 1,
      },
    ]);
  });
});

describe('a hostile document', () => {
  it('with ten thousand operations is compiled, and one with more is rejected', async () => {
    const paths = (count: number): string =>
      JSON.stringify({
        openapi: '3.1.0',
        info: { title: 'T' },
        servers: [{ url: 'https://h' }],
        paths: Object.fromEntries(
          Array.from({ length: count }, (_, i) => [
            `/a${i}`,
            { get: { operationId: `a${i}`, parameters: [query('q')] } },
          ]),
        ),
      });
    expect((await compileText(paths(10_000))).tools).toHaveLength(10_000);
    expect(await issuesOf(paths(10_001))).toEqual([
      'api.yaml:1: The document has more than 10000 operations. Split it.',
    ]);
  });

  it('cannot make schemas grow without limit', async () => {
    const wide = {
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: 90 }, (_, i) => [`p${i}`, text])),
    };
    const use = {
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: 300 }, (_, i) => [`p${i}`, { $ref: '#/components/schemas/Wide' }]),
      ),
    };
    const document = documentOf(postWith(use), { components: { schemas: { Wide: wide } } });
    expect((await issuesOf(document)).join()).toContain('too large');
  });

  it('results in tools or in a DefinitionError, whatever it contains', async () => {
    const key = fc.constantFrom(
      ...'openapi paths /a /{a} get post parameters name in schema type properties required items allOf anyOf $ref'.split(
        ' ',
      ),
      ...'requestBody content application/json multipart/form-data servers url components schemas security __proto__'.split(
        ' ',
      ),
      ...'securitySchemes x-secret x-fixed x-success enum default readOnly style constructor operationId encoding'.split(
        ' ',
      ),
    );
    const leaf = fc.oneof(
      fc.constantFrom(
        'path',
        'query',
        'header',
        'string',
        'object',
        '#/paths',
        '#',
        '#/components/schemas/a',
        'https://h',
        'a',
      ),
      fc.jsonValue({ maxDepth: 1 }),
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'large', maxDepth: 7 },
        leaf,
        tie('map'),
        fc.array(tie('value'), { maxLength: 3 }),
      ),
      map: fc.dictionary(key, tie('value'), { maxKeys: 6 }),
    }));
    const operation = fc.record(
      { parameters: value, requestBody: value, security: value, servers: value },
      { requiredKeys: [] },
    );
    const document = fc.record({
      openapi: fc.constantFrom('3.0.0', '3.1.0', '3.2.0'),
      paths: fc.oneof(value, fc.record({ '/{a}': fc.record({ get: operation, post: operation }) })),
      components: value,
      servers: fc.oneof(value, fc.constant([{ url: 'https://h/v1' }])),
    });
    await fc.assert(
      fc.asyncProperty(document, fc.constantFrom(PRESET, REGISTERED), async (given, policy) => {
        try {
          const { tools } = await compileText(JSON.stringify(given), { policy });
          for (const tool of tools) {
            createArgumentValidator(tool)({});
            createRequestEncoder(tool);
          }
        } catch (error) {
          if (!(error instanceof DefinitionError)) throw error;
        }
      }),
      { numRuns: MANY_RUNS },
    );
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});
