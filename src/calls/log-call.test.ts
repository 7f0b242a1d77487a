import { expect, test } from 'vitest';
import { compileText } from '../../test/support/compile-text.ts';
import { GatewayError } from '../platform/kernel/error.ts';
import { Secret } from '../platform/kernel/secret.ts';
import { presetEntries } from '../tools/catalog-entry.ts';
import type { FinishedCall } from './call-tool.ts';
import { logCall } from './log-call.ts';

const DOCUMENT = `openapi: 3.1.0
info: { title: Keys, version: "1" }
servers: [{ url: "http://fixture.invalid" }]
components: { securitySchemes: { key: { type: apiKey, in: query, name: key, x-secret: A_KEY } } }
paths: { /a: { get: { operationId: a, security: [{ key: [] }], responses: {} } } }
`;

test('a call that fails after its key was replaced is logged without either value', async () => {
  const preset = { ...(await compileText(DOCUMENT)), id: 'a/b', category: 'a', filePath: '' };
  const [entry] = presetEntries(preset, '');
  const cause = new Error('GET /?key=earlier-value of new-long-value');
  const lines: unknown[] = [];
  const log = { error: (line: unknown) => void lines.push(line), debug: () => undefined };
  const finished = {
    entry,
    auditId: 'aud_1',
    context: { requestId: 'req_1' },
    result: new GatewayError('internal', undefined, { cause }),
  };
  logCall(
    log as unknown as Parameters<typeof logCall>[0],
    {
      secretOf: () => new Secret('new-long-value'),
      formerOf: () => [new Secret('earlier-value')],
    },
    finished as unknown as FinishedCall,
  );
  expect(lines).toMatchObject([{ err: { message: 'GET /?key=REDACTED of REDACTED' } }]);
  expect(JSON.stringify(lines)).not.toMatch(/earlier-value|new-long-value/);
});
