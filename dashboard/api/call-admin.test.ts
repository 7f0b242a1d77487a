import { describe, expect, test } from 'vitest';
import { formatRequest } from './call-admin.ts';

describe('formatRequest', () => {
  test('puts members into the path, and the others into the query of a GET', () => {
    const input = { tenant: 'a b/c', limit: 5, tools: ['x', 'y'], cursor: undefined };
    expect(formatRequest('GET /tenants/:tenant/keys', input)).toEqual({
      method: 'GET',
      url: '/admin/api/tenants/a%20b%2Fc/keys?limit=5&tools=x&tools=y',
      body: null,
    });
  });

  test('puts the others into the body of a POST', () => {
    const { url, body } = formatRequest('POST /tenants/:tenant/keys/:key/rotate', {
      tenant: 'a',
      key: 'key_1',
      overlapHours: 24,
      note: undefined,
    });
    expect(url).toBe('/admin/api/tenants/a/keys/key_1/rotate');
    expect(body).toBe('{"overlapHours":24}');
  });

  test('sends a description as a part of a form', async () => {
    const { body } = formatRequest('POST /tenants/:tenant/registrations', {
      tenant: 'a',
      name: 'Pets',
      spec_raw: 'openapi: 3.1.0',
    });
    if (!(body instanceof FormData)) throw new Error('Not a form.');
    expect(body.get('request')).toBe('{"name":"Pets"}');
    expect(await (body.get('document') as Blob).text()).toBe('openapi: 3.1.0');
  });

  test('sends an empty object in place of no body', () => {
    expect(formatRequest('POST /session', {}).body).toBe('{}');
  });

  test('does not confuse parameters with values that look like them', () => {
    const { url } = formatRequest('GET /a/:one/:two', { one: ':two', two: 'x' });
    expect(url).toBe('/admin/api/a/%3Atwo/x');
  });
});
