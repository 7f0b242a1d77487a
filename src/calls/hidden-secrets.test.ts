import { expect, test } from 'vitest';
import { compileText } from '../../test/support/compile-text.ts';
import { Secret } from '../platform/kernel/secret.ts';
import type { Tool } from '../tools/model.ts';
import { formerSecrets, hiddenSecrets } from './hidden-secrets.ts';

const DOCUMENT = `openapi: 3.1.0
info: { title: Keys, version: "1" }
servers: [{ url: "http://fixture.invalid" }]
components:
  securitySchemes:
    key: { type: apiKey, in: query, name: key, x-secret: A_KEY }
    login: { type: http, scheme: basic, x-secret: A_LOGIN }
paths:
  /a: { get: { operationId: a, security: [{ key: [], login: [] }], responses: {} } }
  /b: { get: { operationId: b, security: [{ key: [], login: [] }], responses: {} } }
  /c: { get: { operationId: c, responses: {} } }
`;

async function compileTools(): Promise<Record<'a' | 'b' | 'c', Tool>> {
  const { tools } = await compileText(DOCUMENT);
  const [a, b, c] = tools;
  if (!a || !b || !c) throw new Error('A tool is missing.');
  return { a, b, c };
}

const sourceOf = (values: Readonly<Record<string, string>>) => {
  const known = new Map(Object.entries(values).map(([name, value]) => [name, new Secret(value)]));
  return (name: string) => known.get(name);
};

test('lists the secrets that a tool sends, and where it sends them', async () => {
  const { a, c } = await compileTools();
  const secrets = sourceOf({ A_KEY: 'a-long-key', A_LOGIN: 'name:password', OTHER: 'x' });
  expect(hiddenSecrets(a, secrets)).toEqual([
    { value: 'a-long-key', name: 'key', in: 'query', prefix: '' },
    { value: 'name:password', name: 'Authorization', in: 'header', prefix: 'Basic ' },
  ]);
  expect(hiddenSecrets(c, secrets)).toBeUndefined();
});

test('returns the same object for tools with the same secrets until one of the secrets changes', async () => {
  const { a, b } = await compileTools();
  const before = sourceOf({ A_KEY: 'before-1', A_LOGIN: 'x:y' });
  const hidden = hiddenSecrets(a, before);
  expect(hiddenSecrets(a, before)).toBe(hidden);
  expect(hiddenSecrets(b, before)).toBe(hidden);
  const after = sourceOf({ A_KEY: 'after-12', A_LOGIN: 'x:y' });
  expect(hiddenSecrets(a, after)?.[0]?.value).toBe('after-12');
  expect(hiddenSecrets(a, before)).toBe(hidden);
});

test('evicts the least recently used set of secrets', async () => {
  const { a, b } = await compileTools();
  const secrets = sourceOf({ A_KEY: 'evicted-key', A_LOGIN: 'x:y' });
  const hidden = hiddenSecrets(b, secrets);
  for (let n = 0; n < 256; n++) hiddenSecrets(a, sourceOf({ A_KEY: `key-${n}`, A_LOGIN: 'x:y' }));
  expect(hiddenSecrets(a, secrets)).toEqual(hidden);
  expect(hiddenSecrets(a, secrets)).not.toBe(hidden);
});

test('lists the values that a tool sent before', async () => {
  const { a, c } = await compileTools();
  const formerOf = (name: string) =>
    name === 'A_KEY' ? [new Secret('second'), new Secret('first')] : [];
  const key = { name: 'key', in: 'query', prefix: '' };
  expect(formerSecrets(a, formerOf)).toEqual([
    { ...key, value: 'second' },
    { ...key, value: 'first' },
  ]);
  expect(formerSecrets(c, formerOf)).toEqual([]);
});
