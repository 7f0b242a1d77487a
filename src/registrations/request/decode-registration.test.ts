import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DECODE_LIMITS } from '../../../test/support/registrations.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { decodeDocumentRegistration, decodeRegistration } from './decode-registration.ts';

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
      source: { document: Buffer.from('openapi: 3.1.0') },
      authentication: { scheme: { type: 'none' }, credentials: {} },
      options: {
        visibility: 'private',
        category: null,
        description: null,
        baseUrl: null,
        include: null,
        exclude: [],
      },
      confirmedOrigins: [],
      isDryRun: false,
    });
  });

  it('may have its description apart, in bytes', () => {
    const document = Buffer.from(RAW.spec_raw);
    const { spec_raw: _raw, ...members } = RAW;
    expect(decodeRegistration(members, DECODE_LIMITS, document)).toEqual(decode(RAW));
    const limits = { ...DECODE_LIMITS, maxDocumentBytes: document.byteLength - 1 };
    const tooLarge = expect.objectContaining({ code: 'too_large' });
    expect(() => decodeRegistration(members, limits, document)).toThrow(tooLarge);
    const both = { ...members, spec_url: 'https://example.com/openapi.yaml' };
    expect(() => decodeRegistration(both, DECODE_LIMITS, document)).toThrow('/spec_raw must not');
    expect(() => decodeRegistration(members, DECODE_LIMITS, Buffer.alloc(0))).toThrow(
      '/spec_raw must be a string',
    );
  });

  it('is decoded with every member', () => {
    const decoded = decode({
      name: ' 날씨 API ',
      spec_url: 'https://example.com/openapi.yaml',
      visibility: 'public',
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
      source: { url: 'https://example.com/openapi.yaml' },
      options: {
        visibility: 'public',
        category: 'open-data',
        description: 'Two\nlines.',
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
      '/dryrun is not a member of a registration. Did you mean "dry_run"?',
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
      ['/auth/token_url', '/auth/client_id', '/auth/client_secret'],
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
    expect(decode({ ...RAW, description }).options.description).toBe(description);
  });

  it('takes null for absent', () => {
    expect(decode({ ...RAW, spec_url: null, auth: null, include: null })).toEqual(decode(RAW));
  });

  it('does not make an API with a credential public', () => {
    const body = { ...RAW, visibility: 'public', auth: { type: 'bearer', token: 't' } };
    expect(refusal(body)).toMatchObject({ code: 'unprocessable', paths: ['/auth/type'] });
  });

  it('has a description within the limit', () => {
    const of = (text: string) => ({ ...RAW, spec_raw: text });
    decode(of('a'.repeat(DECODE_LIMITS.maxDocumentBytes)));
    for (const text of ['a'.repeat(DECODE_LIMITS.maxDocumentBytes + 1), '가'.repeat(400_000)]) {
      expect(refusal(of(text))).toMatchObject({ code: 'too_large' });
    }
  });
});

describe('a body that is the description itself', () => {
  const document = Buffer.from('openapi: 3.1.0');
  const decodeWith = (query: Record<string, string | string[]>, body = document) =>
    decodeDocumentRegistration(query, body, DECODE_LIMITS);

  it('takes the other members from the query', () => {
    const query = { name: 'My API', visibility: 'private', category: 'a', dry_run: 'true' };
    expect(decodeWith(query)).toEqual(decode({ ...RAW, category: 'a', dry_run: true }));
  });

  it.each([
    [{}, '/name'],
    [{ name: 'a', token: 't' }, '/token'],
    [{ name: 'a', auth: 'bearer' }, '/auth'],
    [{ name: ['a', 'b'] }, '/name'],
    [{ name: 'a', dry_run: '1' }, '/dry_run'],
  ])('is refused with the query %j', (query, path) => {
    expect(() => decodeWith(query)).toThrow(
      expect.objectContaining({
        code: 'invalid_arguments',
        details: { errors: [expect.objectContaining({ path })] },
      }),
    );
  });

  it('must not be empty', () => {
    expect(() => decodeWith({ name: 'a' }, Buffer.alloc(0))).toThrow('must not be empty');
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
      { numRuns: 500 },
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
