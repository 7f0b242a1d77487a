import { expect, test } from 'vitest';
import { Secret } from '../platform/kernel/secret.ts';
import { compileText } from '../tools/compile/fixtures/compile-text.ts';
import type { Tool } from '../tools/model.ts';
import { hiddenSecrets } from './hidden-secrets.ts';

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

test('names the secrets that a tool sends, and where', async () => {
  const { a, c } = await compileTools();
  const secrets = sourceOf({ A_KEY: 'a-long-key', A_LOGIN: 'name:password', OTHER: 'x' });
  expect(hiddenSecrets(a, secrets)).toEqual([
    { value: 'a-long-key', name: 'key', in: 'query', prefix: '' },
    { value: 'name:password', name: 'Authorization', in: 'header', prefix: 'Basic ' },
  ]);
  expect(hiddenSecrets(c, secrets)).toBeUndefined();
});

test('is the same for tools with the same secrets, until one of these changes', async () => {
  const { a, b } = await compileTools();
  const before = sourceOf({ A_KEY: 'before-1', A_LOGIN: 'x:y' });
  const hidden = hiddenSecrets(a, before);
  expect(hiddenSecrets(a, before)).toBe(hidden);
  expect(hiddenSecrets(b, before)).toBe(hidden);
  const after = sourceOf({ A_KEY: 'after-12', A_LOGIN: 'x:y' });
  expect(hiddenSecrets(a, after)?.[0]?.value).toBe('after-12');
  expect(hiddenSecrets(a, before)).toBe(hidden);
});

test('is forgotten after many others', async () => {
  const { a, b } = await compileTools();
  const secrets = sourceOf({ A_KEY: 'forgotten', A_LOGIN: 'x:y' });
  const hidden = hiddenSecrets(b, secrets);
  for (let n = 0; n < 256; n++) hiddenSecrets(a, sourceOf({ A_KEY: `key-${n}`, A_LOGIN: 'x:y' }));
  expect(hiddenSecrets(a, secrets)).toEqual(hidden);
  expect(hiddenSecrets(a, secrets)).not.toBe(hidden);
});
