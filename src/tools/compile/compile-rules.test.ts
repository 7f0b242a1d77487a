import { describe, expect, it } from 'vitest';
import {
  documentOf,
  issuesOf,
  postWith,
  REGISTERED,
  toolOf,
} from '../../../test/support/compile-text.ts';
import { createArgumentValidator } from '../request/argument-validator.ts';
import { createRequestEncoder } from '../request/request-encoder.ts';

const text = { type: 'string' };
const query = (name: string, rest = {}): unknown => ({ name, in: 'query', schema: text, ...rest });
const day = query('day', { required: true, 'x-default': 'today-kst' });

/** A GET operation with these extensions and parameters. */
const get = (extensions: object, ...parameters: unknown[]): unknown => ({
  get: { operationId: 'x', ...extensions, parameters },
});

describe('a body with rules beyond its properties', () => {
  const $schema = 'https://json-schema.org/draft/2020-12/schema';
  const rules = { allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }] };
  const person = { $ref: '#/components/schemas/person' };
  const schema = {
    $schema,
    type: 'object',
    properties: { phone: text, email: text, boss: person },
    additionalProperties: false,
    ...rules,
  };
  const components = {
    schemas: {
      person: { $anchor: 'person', type: 'object', properties: { boss: person } },
      other: {
        $anchor: 'person',
        type: 'object',
        properties: { boss: { $ref: '#/components/schemas/other' } },
      },
    },
  };
  const lifted = { 'x-lift-body': true };

  it('is a single argument unless it is lifted', async () => {
    const tool = await toolOf(postWith(schema), { components });
    expect(Object.keys(tool.inputSchema['properties'] ?? {})).toEqual(['body']);
  });

  it('is lifted with its rules, dialect and definitions', async () => {
    const tool = await toolOf(postWith(schema, lifted), { components });
    expect(tool.inputSchema).toMatchObject({
      $schema,
      type: 'object',
      additionalProperties: false,
      ...rules,
      $defs: { person: { $anchor: 'person', type: 'object' } },
    });
    const validate = createArgumentValidator(tool);
    expect(validate({ phone: '1' })).toEqual([]);
    expect(validate({})).not.toEqual([]);
    expect(validate({ phone: '1', fax: '2' })).not.toEqual([]);
    const request = createRequestEncoder(tool)({ phone: '1' }, () => undefined);
    expect(JSON.parse(String(request.body))).toEqual({ phone: '1' });
  });

  it('keeps each anchor for one definition only, and drops the name of another dialect', async () => {
    const other = { $ref: '#/components/schemas/other' };
    const properties = { phone: text, boss: person, rival: other };
    const both = { ...schema, $schema: 'http://json-schema.org/draft-07/schema#', properties };
    const tool = await toolOf(postWith(both, lifted), { components });
    expect(tool.inputSchema).not.toHaveProperty('$schema');
    expect(JSON.stringify(tool.inputSchema).match(/"\$anchor"/g)).toHaveLength(1);
    expect(createArgumentValidator(tool)({ phone: '1' })).toEqual([]);
  });

  it.each([
    ['not an object', postWith({ type: 'array', items: text }, lifted)],
    [
      'optional',
      {
        post: {
          operationId: 'x',
          ...lifted,
          requestBody: { content: { 'application/json': { schema } } },
        },
      },
    ],
    [
      'an object with a property named like a parameter',
      postWith(schema, { ...lifted, parameters: [query('phone')] }),
    ],
  ])('cannot be lifted if it is %s', async (_, operation) => {
    expect((await issuesOf(documentOf(operation, { components }))).join()).toContain(
      'x-lift-body needs',
    );
  });
});

describe('a computed default', () => {
  it('is not computed if another parameter is given, by the name of its argument', async () => {
    const like = { name: 'like', in: 'header', schema: text };
    const from = query('from', {
      'x-default': { value: 'days-ago-14-kst', unless: ['on', 'like'] },
    });
    const tool = await toolOf(
      get({}, { ...like, in: 'query', 'x-fixed': 1 }, like, query('on'), from),
    );
    expect(tool.parameters.at(-1)?.source).toEqual({
      kind: 'argument',
      property: 'from',
      computedDefault: {
        expression: 'days-ago-14-kst',
        compute: expect.any(Function),
        unless: ['on', 'like'],
      },
    });
  });

  it.each([
    ['an unknown name', { value: 'tomorrow', unless: ['on'] }, 'must be one of today-kst'],
    ['no name', { unless: ['on'] }, 'must be one of today-kst'],
    ['no alternative', { value: 'today-kst' }, 'a list of parameter names at "unless"'],
    ['an empty list', { value: 'today-kst', unless: [] }, 'a list of parameter names'],
    ['a misspelt key', { value: 'today-kst', unles: ['on'] }, 'has an unknown key "unles"'],
    ['an unknown alternative', { value: 'today-kst', unless: ['off'] }, '"off" at "unless"'],
    ['itself as alternative', { value: 'today-kst', unless: ['day'] }, '"day" at "unless"'],
  ])('is refused with %s', async (_, value, reason) => {
    const parameters = [query('on'), query('day', { 'x-default': value })];
    expect((await issuesOf(documentOf(get({}, ...parameters)))).join()).toContain(reason);
  });

  it('that the upstream requires must be given if another parameter prevents its computation', async () => {
    const range = (name: string, other: string, required: boolean) =>
      query(name, { required, 'x-default': { value: 'today-kst', unless: [other] } });
    const tool = await toolOf(get({}, range('from', 'to', true), range('to', 'from', true)));
    const validate = createArgumentValidator(tool);
    expect(validate({})).toEqual([]);
    expect(validate({ from: '1', to: '2' })).toEqual([]);
    expect(validate({ from: '1' })).toEqual([
      { path: '/to', message: '"to" is required when "from" is given.' },
    ]);
    const optional = await toolOf(get({}, range('from', 'to', false), query('to')));
    expect(createArgumentValidator(optional)({ to: '1' })).toEqual([]);
  });

  it('is refused beside a default of the schema', async () => {
    const both = query('day', { 'x-default': 'today-kst', schema: { ...text, default: '1' } });
    expect((await issuesOf(documentOf(get({}, both)))).join()).toContain('either an x-default or');
  });
});

describe('x-step-back', () => {
  it('is that of the operation, or 0', async () => {
    expect((await toolOf(get({ 'x-items': '', 'x-step-back': 3 }, day))).stepBack).toBe(3);
    expect((await toolOf(get({}, day))).stepBack).toBe(0);
  });

  it.each([
    [
      'without a default to change',
      get({ 'x-items': '', 'x-step-back': 1 }),
      'no parameter has an x-default',
    ],
    ['without x-items', get({ 'x-step-back': 1 }, day), 'x-step-back needs x-items'],
    ['of zero steps', get({ 'x-items': '', 'x-step-back': 0 }, day), 'from 1 to 7'],
    ['of more than seven steps', get({ 'x-items': '', 'x-step-back': 8 }, day), 'from 1 to 7'],
  ])('%s is rejected', async (_, operation, reason) => {
    expect((await issuesOf(documentOf(operation))).join()).toContain(reason);
  });
});

describe('x-quota', () => {
  it('is that of the operation, else of the document, of each operation and in Korea unless it says otherwise', async () => {
    const root = { 'x-quota': { calls: 1000 } };
    const inKorea = { calls: 1000, zone: 'Asia/Seoul', scope: 'operation' };
    expect((await toolOf(get({}, day), root)).quota).toEqual(inKorea);
    const own = { calls: 5, zone: 'Europe/Berlin', scope: 'key' };
    expect((await toolOf(get({ 'x-quota': own }, day), root)).quota).toEqual(own);
    expect((await toolOf(get({}, day))).quota).toBeNull();
  });

  it.each([
    ['no calls', { calls: 0 }],
    ['a part of a call', { calls: 1.5 }],
    ['nothing', {}],
    ['a zone that does not exist', { calls: 1, zone: 'Asia/Soul' }],
    ['an unknown scope', { calls: 1, scope: 'tenant' }],
    ['an unknown member', { calls: 1, minute: 5 }],
  ])('of %s is rejected', async (_, value) => {
    const issues = await issuesOf(documentOf(get({ 'x-quota': value }, day)));
    expect(issues.join()).toContain('x-quota must be {calls, zone, scope}');
  });
});

describe('x-last-good', () => {
  it('is a week unless the preset says otherwise, and never for what is not cached', async () => {
    const seconds = async (extensions: object) =>
      (await toolOf(get(extensions, day))).lastGoodSeconds;
    expect(await seconds({})).toBe(604_800);
    expect(await seconds({ 'x-last-good': 60 })).toBe(60);
    expect(await seconds({ 'x-last-good': 0 })).toBe(0);
    expect(await seconds({ 'x-cache-ttl': 0, 'x-last-good': 60 })).toBe(0);
  });

  it.each([-1, 1.5, 90 * 86_400 + 1, '1d'])('of %j is rejected', async (value) => {
    const issues = await issuesOf(documentOf(get({ 'x-last-good': value }, day)));
    expect(issues.join()).toContain('x-last-good must be a whole number of seconds');
  });
});

describe('personal data', () => {
  it('is named by argument, both for parameters and for the body', async () => {
    const schema = { type: 'object', properties: { name: text } };
    const tool = await toolOf({
      post: {
        operationId: 'x',
        'x-personal': ['name', 'id'],
        parameters: [query('id')],
        requestBody: { content: { 'application/json': { schema } } },
      },
    });
    expect(tool.personal).toEqual(['name', 'id']);
    expect((await toolOf(get({}, day))).personal).toEqual([]);
  });

  it.each([
    [
      'that is not an argument',
      { 'x-personal': ['name'], 'x-cache-ttl': 0 },
      '"name" is not an argument',
    ],
    ['that would be cached', { 'x-personal': ['day'] }, 'needs x-cache-ttl: 0'],
    ['that is not an array', { 'x-personal': 'day', 'x-cache-ttl': 0 }, 'array of argument names'],
  ])('%s is rejected', async (_, extensions, reason) => {
    expect((await issuesOf(documentOf(get(extensions, day)))).join()).toContain(reason);
  });
});

describe('a secret', () => {
  const scheme = {
    type: 'apiKey',
    in: 'query',
    name: 'k',
    description: 'Get it at https://k.example.',
  };
  const secured = {
    security: [{ s: [] }],
    components: { securitySchemes: { s: { ...scheme, 'x-secret': 'EXAMPLE_KEY' } } },
  };

  it('carries the description of its scheme or of its parameter', async () => {
    const ofScheme = await toolOf(get({}), secured);
    const ofParameter = await toolOf(
      get({}, query('k', { 'x-secret': 'EXAMPLE_KEY', description: scheme.description })),
    );
    for (const { parameters } of [ofScheme, ofParameter]) {
      expect(parameters[0]?.source).toMatchObject({ description: scheme.description });
    }
  });

  it('ignores the descriptions of a third-party document', async () => {
    const rest = { ...secured, components: { securitySchemes: { s: scheme } } };
    const credential = {
      in: 'query',
      name: 'k',
      prefix: '',
      secretName: 'EXAMPLE_KEY',
      origins: ['https://api.example.com'],
    } as const;
    const tool = await toolOf(get({}), rest, { policy: { ...REGISTERED, credential } });
    expect(tool.parameters[0]?.source).toMatchObject({ secret: 'EXAMPLE_KEY', description: null });
  });
});
