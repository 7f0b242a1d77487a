import { describe, expect, it } from 'vitest';
import { documentOf, registerText } from '../../../test/support/compile-text.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import { createRequestEncoder } from '../request/request-encoder.ts';
import type { CredentialBinding } from './compile-policy.ts';

const bearer: CredentialBinding = {
  in: 'header',
  name: 'Authorization',
  prefix: 'Bearer ',
  secretName: 'credential',
  origins: ['https://api.example.com'],
};

const register = (
  item: unknown,
  { credential = bearer, rest = {} }: { credential?: CredentialBinding; rest?: object } = {},
) => registerText(documentOf(item, { ...rest }), { credential });

describe('the credential of a registration', () => {
  it.each([
    ['nothing', {}],
    ['no security', { security: [] }],
    ['another scheme', { security: [{ key: [] }] }],
  ])('is added to an operation that declares %s', async (_, declared) => {
    const components = { securitySchemes: { key: { type: 'apiKey', in: 'query', name: 'key' } } };
    const { api } = await register({ get: { ...declared } }, { rest: { components } });
    expect(api.tools).toMatchObject([
      {
        secrets: ['credential'],
        parameters: [
          {
            in: 'header',
            name: 'Authorization',
            source: { kind: 'secret', secret: 'credential', prefix: 'Bearer ', description: null },
          },
        ],
      },
    ]);
  });

  it.each([
    ['header', 'X-Key', 'x-key'],
    ['query', 'key', 'key'],
    ['cookie', 'sid', 'sid'],
  ] as const)('in a %s replaces what callers could set there', async (location, name, declared) => {
    const credential = { ...bearer, in: location, name, prefix: '' };
    const parameter = { name: declared, in: location, required: true, schema: { type: 'string' } };
    const { api } = await register({ get: { parameters: [parameter] } }, { credential });
    expect(api.tools[0]?.inputSchema).toMatchObject({ properties: {}, required: [] });
    expect(api.tools[0]?.parameters).toHaveLength(1);
  });

  it('is not sent to another origin, and a warning says so', async () => {
    const other = (url: string) => ({ get: { servers: [{ url }] } });
    for (const url of [
      'https://evil.example',
      'http://api.example.com',
      'https://api.example.com:8443',
      'https://api.example.com.evil.example',
      'https://api.example.com@evil.example',
    ]) {
      const { api, operations, warnings } = await register(other(url));
      expect(api.tools.flatMap(({ secrets }) => secrets)).toEqual([]);
      if (operations[0]?.outcome !== 'refused') {
        expect(warnings.map(({ message }) => message).join()).toContain(
          'not on an approved origin',
        );
      }
    }
    const same = await register(other('https://API.example.com:443/elsewhere'));
    expect(same.api.tools[0]?.secrets).toEqual(['credential']);
  });

  it('is sent like the secret of a preset', async () => {
    const secretOf = (name: string) =>
      name === bearer.secretName ? new Secret('s3cret-value') : undefined;
    const requestWith = async (credential: CredentialBinding) => {
      const [tool] = (await register({ get: {} }, { credential })).api.tools;
      if (!tool) throw new Error('The document has no tool.');
      return createRequestEncoder(tool)({}, secretOf);
    };
    expect((await requestWith(bearer)).headers['authorization']).toBe('Bearer s3cret-value');
    const query = await requestWith({ ...bearer, in: 'query', name: 'key', prefix: '' });
    expect(query.path).toBe('/v1/things?key=s3cret-value');
    expect(query.redactedUrl).toBe('https://api.example.com/v1/things?key=REDACTED');
    const cookie = await requestWith({ ...bearer, in: 'cookie', name: 'sid', prefix: '' });
    expect(cookie.headers['cookie']).toBe('sid=s3cret-value');
  });

  it('is refused if it cannot be sent', async () => {
    for (const wrong of [
      { name: 'Host' },
      { name: 'X Key' },
      { name: '' },
      { in: 'query', name: '' },
      { prefix: 'Bearer\r\n' },
      { secretName: '' },
      { origins: ['https://api.example.com/'] },
    ] as const) {
      const credential = { ...bearer, ...wrong };
      await expect(register({ get: {} }, { credential })).rejects.toThrow(/\.$/);
    }
  });

  it('is missed if the document asks for one, unless it is optional', async () => {
    const warnings = async (security: unknown) =>
      (await registerText(documentOf({ get: { security } }))).warnings;
    expect(await warnings([{ key: [] }])).toMatchObject([
      { message: expect.stringContaining('none is registered') },
    ]);
    expect(await warnings([{ key: [] }, {}])).toEqual([]);
    expect(await warnings([])).toEqual([]);
  });
});
