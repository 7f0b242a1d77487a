import { Type } from 'typebox';
import { expect, it } from 'vitest';
import type { RouteRequest } from '../route.ts';
import { createDecodeInput } from './decode-input.ts';

const request = (given: Partial<RouteRequest>): RouteRequest =>
  ({ query: {}, params: {}, headers: {}, body: null, ...given }) as RouteRequest;

const INPUT = {
  id: Type.String({ maxLength: 10 }),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
  tags: Type.Optional(Type.Array(Type.String())),
};

it('converts a query, fills defaults and adds the parameters of the path', () => {
  const decode = createDecodeInput('GET', '/tenants/:tenant/things/:id', { input: INPUT });
  const params = { tenant: 'default', id: 'a' };
  expect(decode(request({ params }))).toEqual({ id: 'a', limit: 50 });
  expect(decode(request({ params, query: { limit: '7', tags: 'x' } }))).toEqual({
    id: 'a',
    limit: 7,
    tags: ['x'],
  });
});

it('takes a body as it is', () => {
  const decode = createDecodeInput('POST', '/things/:id', { input: INPUT });
  const params = { id: 'a' };
  const body = (value: unknown) => Buffer.from(JSON.stringify(value));
  expect(decode(request({ params, body: body({ limit: 2 }) }))).toEqual({ id: 'a', limit: 2 });
  expect(() => decode(request({ params, body: body({ limit: '2' }) }))).toThrow('/limit');
  expect(() => decode(request({ params, body: body({ other: 1 }) }))).toThrow('/other');
  expect(() => decode(request({ params, body: body([]) }))).toThrow('Send a JSON object.');
  expect(() => decode(request({ params, body: Buffer.from('{') }))).toThrow('not valid JSON');
  expect(() => decode(request({ params, body: Buffer.from([0x22, 0xff, 0x22]) }))).toThrow(
    'not valid UTF-8',
  );
});

it('does not let a body replace a parameter of the path', () => {
  const decode = createDecodeInput('POST', '/things/:id', { input: INPUT });
  const body = Buffer.from('{"id":"b"}');
  expect(decode(request({ params: { id: 'a' }, body }))).toMatchObject({ id: 'a' });
});
