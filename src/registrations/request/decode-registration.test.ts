import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../../../test/support/arbitrary-text.ts';
import { MANY_RUNS } from '../../../test/support/property-runs.ts';
import { DECODE_LIMITS } from '../../../test/support/registrations.ts';
import { MAX_ORIGINS } from '../../platform/input/schema.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { decodePatch, decodeRefresh, decodeRegistration } from './decode-registration.ts';
import { MAX_TOOL_DESCRIPTION_LENGTH } from './registration-input.ts';

const decode = (body: unknown) => decodeRegistration(body, DECODE_LIMITS);
const RAW = { name: 'My API', spec_raw: 'openapi: 3.1.0' };

/** The paths of the issues, and the code. */
function refusal(body: unknown): { code: string; paths: string[]; message: string } {
  try {
    decode(body);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const paths = (error.details.errors ?? []).map(({ path }) => path);
    return { code: error.code, paths, message: error.message };
  }
  throw new Error('The body was accepted.');
}

describe('the body of a registration', () => {
  it('has defaults for everything but the name and the description', () => {
    expect(decode(RAW)).toEqual({
      name: 'My API',
      source: { descriptionUrl: null, document: Buffer.from('openapi: 3.1.0') },
      authentication: { scheme: { type: 'none' }, credentials: {} },
      options: {
        about: {},
        baseUrl: null,
        include: null,
        exclude: [],
      },
      confirmedOrigins: [],
      isDryRun: false,
    });
  });

  it('may have its description in bytes', () => {
    const document = Buffer.from(RAW.spec_raw);
    const inBytes = { ...RAW, spec_raw: document };
    expect(decode(inBytes)).toEqual(decode(RAW));
    const limits = { ...DECODE_LIMITS, maxDocumentBytes: document.byteLength - 1 };
    const tooLarge = expect.objectContaining({ code: 'too_large' });
    expect(() => decodeRegistration(inBytes, limits)).toThrow(tooLarge);
    const both = { ...inBytes, spec_url: 'https://example.com/openapi.yaml' };
    expect(() => decode(both)).toThrow('/spec_raw must not');
    expect(() => decode({ ...RAW, spec_raw: Buffer.alloc(0) })).toThrow(
      '/spec_raw must be a string',
    );
    expect(() => decodePatch({ spec_raw: document }, DECODE_LIMITS.urls)).toThrow(
      '/spec_raw Unknown',
    );
  });

  it('is decoded with every member', () => {
    const decoded = decode({
      name: ' 날씨 API ',
      spec_url: 'https://example.com/openapi.yaml',
      visibility: 'private',
      category: 'open-data',
      description: 'Two\nlines.',
      base_url: 'https://api.example.com/v1',
      include: [{ tag: 'weather', method: 'GET' }, { path: '/stations/*' }],
      exclude: [{ operationId: 'deleteAll' }],
      confirm_origins: ['https://api.example.com'],
      dry_run: true,
    });
    expect(decoded).toMatchObject({
      name: '날씨 API',
      source: { descriptionUrl: 'https://example.com/openapi.yaml', document: null },
      options: {
        about: { category: 'open-data', description: 'Two\nlines.' },
        baseUrl: 'https://api.example.com/v1',
        include: [{ tag: 'weather', method: 'get' }, { path: '/stations/*' }],
        exclude: [{ operationId: 'deleteAll' }],
      },
      confirmedOrigins: ['https://api.example.com'],
      isDryRun: true,
    });
  });

  it.each([
    [{ type: 'none' }, { type: 'none' }, {}],
    [{ type: 'bearer', token: 't' }, { type: 'bearer' }, { token: 't' }],
    [
      { type: 'basic', username: 'sk_live', password: '' },
      { type: 'basic' },
      { username: 'sk_live', password: '' },
    ],
    [
      { type: 'api_key', in: 'header', key_name: 'X-Key', token: 't' },
      { type: 'api_key', in: 'header', keyName: 'X-Key' },
      { token: 't' },
    ],
    [
      { type: 'api_key', in: 'query', key_name: 'service key', token: '키' },
      { type: 'api_key', in: 'query', keyName: 'service key' },
      { token: '키' },
    ],
    [
      {
        type: 'oauth2_client_credentials',
        token_url: 'https://example.com/token',
        client_id: 'c',
        client_secret: 's',
      },
      {
        type: 'oauth2_client_credentials',
        tokenUrl: 'https://example.com/token',
        clientId: 'c',
        scope: null,
      },
      { client_secret: 's' },
    ],
  ])('keeps the credentials of %j apart, as secrets', (auth, scheme, expected) => {
    const { authentication } = decode({ ...RAW, auth });
    expect(authentication.scheme).toEqual(scheme);
    const { credentials } = authentication;
    const revealed = Object.entries(credentials).map(([field, each]) => [field, each.reveal()]);
    expect(Object.fromEntries(revealed)).toEqual(expected);
    expect(JSON.stringify(credentials)).toBe(
      JSON.stringify(Object.fromEntries(Object.keys(expected).map((key) => [key, '[redacted]']))),
    );
  });

  it('is refused with every issue at once', () => {
    const refused = refusal({
      spec_url: 'ftp://example.com',
      name: '  ',
      visibility: 'secret',
      category: 'Open Data',
      base_url: 'https://user:pass@example.com',
      auth: { type: 'api_key', in: 'body', key_name: '', token: 5 },
      include: [{}, { method: 'FETCH' }, { tags: ['a'], tag: 'a' }],
      exclude: 'all',
      dry_run: 'yes',
      dryrun: true,
    });
    expect(refused.code).toBe('invalid_arguments');
    expect(new Set(refused.paths)).toEqual(
      new Set([
        '/auth/in',
        '/auth/key_name',
        '/auth/token',
        '/base_url',
        '/category',
        '/dry_run',
        '/dryrun',
        '/exclude',
        '/include/0',
        '/include/1/method',
        '/include/2/tags',
        '/name',
        '/spec_url',
        '/visibility',
      ]),
    );
    expect(refused.message).toContain(
      '/dryrun Unknown argument "dryrun". Did you mean "dry_run"? Known: ',
    );
  });

  it.each([
    [{ name: 'a' }, ['/spec_url']],
    [{ ...RAW, spec_url: 'https://example.com/a' }, ['/spec_raw']],
    [{ ...RAW, name: undefined }, ['/name']],
    [{ ...RAW, name: '***' }, ['/name']],
    [{ ...RAW, name: 'a\u202eb' }, ['/name']],
    [{ ...RAW, name: 'a\u00adb' }, ['/name']],
    [{ ...RAW, name: 'a\u{e0041}b' }, ['/name']],
    [{ ...RAW, description: 'a\u200bb' }, ['/description']],
    [{ ...RAW, name: 'Hidden\u{e0041}\u{e0042}' }, ['/name']],
    [{ ...RAW, name: 'Pay\u00adPal' }, ['/name']],
    [{ ...RAW, description: 'a\u061cb' }, ['/description']],
    [{ ...RAW, spec_raw: ' ' }, ['/spec_raw']],
    [{ ...RAW, auth: 'token' }, ['/auth']],
    [{ ...RAW, auth: {} }, ['/auth/type']],
    [{ ...RAW, auth: { type: 'bearer' } }, ['/auth/token']],
    [{ ...RAW, auth: { type: 'bearer', token: 'a\r\nb' } }, ['/auth/token']],
    [{ ...RAW, auth: { type: 'bearer', token: ' a' } }, ['/auth/token']],
    [{ ...RAW, auth: { type: 'none', token: 'a' } }, ['/auth/token']],
    [{ ...RAW, auth: { type: 'basic', username: 'a:b', password: '' } }, ['/auth/username']],
    [
      { ...RAW, auth: { type: 'api_key', in: 'header', key_name: 'Host', token: 'a' } },
      ['/auth/key_name'],
    ],
    [
      { ...RAW, auth: { type: 'oauth2_client_credentials' } },
      ['/auth/client_id', '/auth/client_secret', '/auth/token_url'],
    ],
    [
      {
        ...RAW,
        auth: {
          type: 'oauth2_client_credentials',
          token_url: 'http://id.example.com/token',
          client_id: 'a',
          client_secret: 'b',
        },
      },
      ['/auth/token_url'],
    ],
    [{ name: 'a', spec_url: 'http://127.1/a' }, ['/spec_url']],
    [{ ...RAW, include: Array.from({ length: 101 }, () => ({ tag: 'a' })) }, ['/include']],
    [{ ...RAW, name: 'a'.repeat(101) }, ['/name']],
    [{ ...RAW, auth: { type: 'bearer', token: 'a'.repeat(8193) } }, ['/auth/token']],
    [[], ['']],
    [null, ['']],
  ])('is refused: %j', (body, paths) => {
    expect(refusal(body)).toMatchObject({ code: 'invalid_arguments', paths });
  });

  it('accepts emoji and line breaks in a description', () => {
    const description = 'Careful \u26a0\ufe0f:\nbeta \u{1f469}\u200d\u{1f4bb}';
    expect(decode({ ...RAW, description }).options.about.description).toBe(description);
  });

  it('takes null for absent', () => {
    expect(decode({ ...RAW, spec_url: null, auth: null, include: null })).toEqual(decode(RAW));
  });

  it.each([
    [{ ...RAW, auth: 'Bearer sk-recognisable' }, ['/auth']],
    [{ ...RAW, auth: { type: 'sk-recognisable' } }, ['/auth/type']],
    [
      { ...RAW, auth: { type: 'api_key', in: 'sk-recognisable' } },
      ['/auth/in', '/auth/key_name', '/auth/token'],
    ],
    [{ ...RAW, auth: { type: 'basic', username: 5 } }, ['/auth/password', '/auth/username']],
    [{ ...RAW, auth: { type: 'none', token: null } }, ['/auth/token']],
    [{ ...RAW, bogus: null }, ['/bogus']],
    [{ ...RAW, include: [{ tags: null, tag: 'a' }] }, ['/include/0/tags']],
    [{ ...RAW, name: '\u{1f600}'.repeat(51) }, ['/name']],
  ])('names every fault of %j, and quotes no credential', (body, paths) => {
    const refused = refusal(body);
    expect(refused).toMatchObject({ code: 'invalid_arguments', paths });
    expect(refused.message).not.toContain('recognisable');
  });

  it('is refused with more faults than one answer lists', () => {
    const unknown = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`A${n}`, n]));
    for (const fault of [{ auth: 'x' }, { auth: { type: 'x' } }, { spec_raw: 5 }, { name: 5 }]) {
      expect(refusal({ ...RAW, ...unknown, ...fault }).code).toBe('invalid_arguments');
    }
  });

  it('is private, and says how an API becomes one of all tenants', () => {
    const { code, paths, message } = refusal({ ...RAW, visibility: 'public' });
    expect({ code, paths }).toEqual({ code: 'invalid_arguments', paths: ['/visibility'] });
    expect(message).toContain('`tool-gateway presets from-registration`');
  });

  it('has a description within the limit', () => {
    const of = (text: string) => ({ ...RAW, spec_raw: text });
    decode(of('a'.repeat(DECODE_LIMITS.maxDocumentBytes)));
    for (const text of ['a'.repeat(DECODE_LIMITS.maxDocumentBytes + 1), '가'.repeat(400_000)]) {
      expect(refusal(of(text))).toMatchObject({ code: 'too_large' });
    }
  });
});

describe('any body', () => {
  const auth = fc.record(
    {
      type: fc.oneof(fc.constantFrom('none', 'bearer', 'basic', 'api_key'), fc.jsonValue()),
      token: fc.jsonValue(),
      username: fc.jsonValue(),
      password: fc.jsonValue(),
      in: fc.oneof(fc.constantFrom('header', 'query', 'cookie'), fc.jsonValue()),
      key_name: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  const body = fc.record(
    {
      name: fc.oneof(fc.string(), fc.jsonValue()),
      spec_url: fc.oneof(fc.webUrl(), fc.jsonValue()),
      spec_raw: fc.oneof(fc.string(), fc.jsonValue()),
      auth: fc.oneof(auth, fc.jsonValue()),
      visibility: fc.oneof(fc.constantFrom('private', 'public'), fc.jsonValue()),
      category: fc.jsonValue(),
      description: fc.jsonValue(),
      base_url: fc.jsonValue(),
      include: fc.jsonValue(),
      exclude: fc.jsonValue(),
      confirm_origins: fc.oneof(fc.array(fc.webUrl()), fc.jsonValue()),
      dry_run: fc.jsonValue(),
      __proto__: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );

  it('is decoded, or refused with pointers to its members', () => {
    fc.assert(
      fc.property(fc.oneof(body, fc.jsonValue()), (value) => {
        try {
          const decoded = decode(value);
          expect(decoded.name).toMatch(/[\p{L}\p{N}]/u);
        } catch (error) {
          if (!(error instanceof GatewayError)) throw error;
          expect(['invalid_arguments', 'unprocessable']).toContain(error.code);
          expect(error.details.errors?.length).toBeGreaterThan(0);
          for (const { path, message } of error.details.errors ?? []) {
            expect(path).toMatch(/^(?:\/|$)/);
            expect(message).toMatch(/[.?]$/);
          }
        }
      }),
      { numRuns: MANY_RUNS },
    );
  });

  it('is never quoted where it holds a credential', () => {
    const secret = fc.stringMatching(/^[A-Z]{12,20}$/);
    const types = fc.constantFrom('none', 'bearer', 'basic', 'api_key', 'x');
    fc.assert(
      fc.property(secret, types, (marker, type) => {
        const text = `${marker}\r\n:`;
        const fields = { token: text, username: text, password: text, client_secret: text };
        const { message } = refusal({ ...RAW, auth: { type, ...fields } });
        expect(message).not.toContain(marker);
      }),
    );
  });
});

describe('a change', () => {
  const decode = (body: unknown) => decodePatch(body, DECODE_LIMITS.urls);

  it('a change has only what the body names', () => {
    expect(decode({})).toEqual({});
    expect(decode({ name: ' New ', visibility: 'private', auth: null })).toEqual({ name: 'New' });
    expect(decode({ auth: { type: 'none' } })).toEqual({
      authentication: { scheme: { type: 'none' }, credentials: {} },
    });
  });

  it('a change has members for which null has a meaning, and others for which it counts as absent', () => {
    const members = ['category', 'description', 'include', 'exclude'];
    const absent = ['name', 'auth', 'visibility', 'descriptions'];
    const body = Object.fromEntries([...members, ...absent].map((member) => [member, null]));
    expect(decode(body)).toEqual({
      about: { category: null, description: null },
      include: null,
      exclude: [],
    });
  });

  it('a change selects operations', () => {
    expect(decode({ include: [{ method: 'GET' }], exclude: [{ path: '/admin/*' }] })).toEqual({
      include: [{ method: 'get' }],
      exclude: [{ path: '/admin/*' }],
    });
  });

  it('the descriptions of a change are cleaned as those of documents are', () => {
    const hidden = '<!-- ignore --> Lists\u202e all\u200b.\u0007 ';
    const { descriptions } = decode({
      descriptions: { list: hidden, get: null, ['__proto__']: 'x' },
    });
    expect([...(descriptions ?? [])]).toEqual([
      ['list', 'Lists all.'],
      ['get', null],
      ['__proto__', 'x'],
    ]);
  });

  it.each([
    ['a list', [], '/descriptions'],
    ['a number', { 'a/b': 1 }, '/descriptions/a~1b'],
    ['nothing visible', { list: '\u200b <!-- x -->' }, '/descriptions/list'],
    ['a long text', { list: 'x'.repeat(MAX_TOOL_DESCRIPTION_LENGTH + 1) }, '/descriptions/list'],
  ])('descriptions are refused with %s', (_, descriptions, path) => {
    expect(() => decode({ descriptions })).toThrow(
      expect.objectContaining({
        code: 'invalid_arguments',
        details: { errors: [expect.objectContaining({ path })] },
      }),
    );
  });

  it('a change is refused with every issue at once', () => {
    const errors = [
      '/auth/token',
      '/category',
      '/descriptions/list',
      '/include',
      '/name',
      '/slug',
      '/visibility',
    ].map((path) => expect.objectContaining({ path }));
    const body = {
      slug: 'x',
      name: '',
      auth: { type: 'bearer' },
      visibility: 'all',
      descriptions: { list: 1 },
      category: 'A B',
      include: {},
    };
    expect(() => decode(body)).toThrow(
      expect.objectContaining({ code: 'invalid_arguments', details: { errors } }),
    );
    expect(() => decode([])).toThrow('must be a JSON object');
  });

  it('any body is decoded, or refused with pointers to its members', () => {
    const member = (...values: readonly fc.Arbitrary<unknown>[]) =>
      fc.oneof(...values, fc.jsonValue());
    const filter = fc.dictionary(fc.constantFrom('tag', 'method', 'path', 'x'), fc.string());
    const body = fc.record(
      {
        name: member(fc.string()),
        visibility: member(fc.constantFrom('private', 'public')),
        category: member(fc.constantFrom('weather', null)),
        description: member(fc.string()),
        descriptions: member(fc.dictionary(fc.string(), fc.option(anyText()))),
        include: member(fc.array(filter)),
        exclude: member(fc.array(filter)),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(body, fc.jsonValue()), (value) => {
        try {
          for (const text of decode(value).descriptions?.values() ?? []) expect(text).not.toBe('');
        } catch (error) {
          if (!(error instanceof GatewayError)) throw error;
          expect(error.code).toBe('invalid_arguments');
          expect(error.details.errors?.length).toBeGreaterThan(0);
        }
      }),
      { numRuns: MANY_RUNS },
    );
  });
});

describe('a refresh', () => {
  const decode = (body: unknown) => decodeRefresh(body, DECODE_LIMITS);
  const NOTHING = {
    source: { descriptionUrl: null, document: null },
    isDryRun: false,
    confirmedOrigins: [],
  };

  it.each([{}, { spec_url: null, confirm_origins: null }])(
    'a refresh needs no member: %j',
    (body) => expect(decode(body)).toEqual(NOTHING),
  );

  it('a refresh is decoded with every member', () => {
    const origins = ['https://api.example.com', 'http://[2001:db8::1]:8080'];
    expect(decode({ spec_raw: 'openapi: 3.1.0', dry_run: true, confirm_origins: origins })).toEqual(
      {
        source: { descriptionUrl: null, document: Buffer.from('openapi: 3.1.0') },
        isDryRun: true,
        confirmedOrigins: origins,
      },
    );
    expect(decode({ spec_url: 'https://example.com/openapi.json' }).source).toEqual({
      descriptionUrl: 'https://example.com/openapi.json',
      document: null,
    });
  });

  it.each([
    ['an array', [], ''],
    ['an unknown member', { auth: {} }, '/auth'],
    ['an empty description', { spec_raw: ' ' }, '/spec_raw'],
    ['both sources', { spec_raw: 'x', spec_url: 'https://example.com/x' }, '/spec_raw'],
    ['a private address', { spec_url: 'http://127.1/x' }, '/spec_url'],
    ['a flag that is not one', { dry_run: 'true' }, '/dry_run'],
    [
      'an origin that is not in an array',
      { confirm_origins: 'https://a.example' },
      '/confirm_origins',
    ],
    ['an origin with a path', { confirm_origins: ['https://a.example/'] }, '/confirm_origins/0'],
    ['an origin that is not a string', { confirm_origins: [1] }, '/confirm_origins/0'],
    [
      'too many origins',
      { confirm_origins: Array(MAX_ORIGINS + 1).fill('https://a.example') },
      '/confirm_origins',
    ],
  ])('a refresh is refused with %s', (_, body, path) => {
    expect(() => decode(body)).toThrow(
      expect.objectContaining({
        code: 'invalid_arguments',
        details: { errors: [expect.objectContaining({ path })] },
      }),
    );
  });

  it('a refresh is refused with a description over the limit', () => {
    const spec_raw = 'x'.repeat(DECODE_LIMITS.maxDocumentBytes + 1);
    expect(() => decode({ spec_raw })).toThrow(expect.objectContaining({ code: 'too_large' }));
  });

  it('any body is decoded, or refused with pointers to its members', () => {
    const body = fc.record(
      {
        spec_url: fc.oneof(fc.webUrl(), fc.jsonValue()),
        spec_raw: fc.oneof(fc.string(), fc.jsonValue()),
        dry_run: fc.oneof(fc.boolean(), fc.jsonValue()),
        confirm_origins: fc.oneof(fc.array(fc.webUrl()), fc.jsonValue()),
        __proto__: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(body, fc.jsonValue()), (value) => {
        try {
          const { confirmedOrigins } = decode(value);
          for (const origin of confirmedOrigins) expect(new URL(origin).origin).toBe(origin);
        } catch (error) {
          if (!(error instanceof GatewayError)) throw error;
          expect(error.code).toBe('invalid_arguments');
          expect(error.details.errors?.length).toBeGreaterThan(0);
        }
      }),
      { numRuns: MANY_RUNS },
    );
  });
});
