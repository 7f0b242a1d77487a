import { expect, test } from 'vitest';
import { compileText } from '../../test/support/compile-text.ts';
import { Secret } from '../platform/kernel/secret.ts';
import { warnOfShortSecrets } from './hidden-secrets.ts';

const DOCUMENT = `openapi: 3.1.0
info: { title: Keys, version: "1" }
servers: [{ url: "http://fixture.invalid" }]
components:
  securitySchemes:
    short: { type: apiKey, in: query, name: pin, x-secret: A_PIN }
    long: { type: apiKey, in: query, name: key, x-secret: A_KEY }
    absent: { type: apiKey, in: query, name: token, x-secret: NOT_SET }
    empty: { type: apiKey, in: query, name: none, x-secret: NOTHING }
paths:
  /a: { get: { operationId: a, security: [{ short: [], long: [] }], responses: {} } }
  /b: { get: { operationId: b, security: [{ short: [], absent: [], empty: [] }], responses: {} } }
  /c: { get: { operationId: c, responses: {} } }
`;

const VALUES = new Map(
  Object.entries({ A_PIN: 'p1n', A_KEY: 'long key', NOTHING: '', UNUSED: 'p2n' }),
);
const secrets = (name: string) => {
  const value = VALUES.get(name);
  return value === undefined ? undefined : new Secret(value);
};

test('a secret of fewer than 8 characters causes one warning, with its name but not its value', async () => {
  const { tools } = await compileText(DOCUMENT);
  const warnings: unknown[] = [];
  const names = tools.flatMap((tool) => tool.secrets);
  warnOfShortSecrets([...new Set(names)], secrets, {
    warn: (...line: unknown[]) => void warnings.push(line),
  });
  expect(warnings).toEqual([[{ secretName: 'A_PIN' }, expect.stringContaining('8 characters')]]);
  expect(JSON.stringify(warnings)).not.toContain('p1n');
});
