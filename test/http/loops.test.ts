import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHopMark, HOP_HEADER } from '../../src/platform/kernel/http-names.ts';
import { Secret } from '../../src/platform/kernel/secret.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

const KEY = randomBytes(32).toString('base64');
const MARK = createHopMark(new Secret(KEY));

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ env: { ENCRYPTION_KEY: KEY } });
});
afterAll(() => gateway.close());

const ask = (path: string, hops: string, key: string | null = gateway.key) =>
  gateway.json(path, { key, headers: { [HOP_HEADER]: hops } });

test.each(['/mcp', '/health', '/api/v1/tools', '/nowhere'])(
  'a request of the gateway itself is refused on %s, before its key is checked',
  async (path) => {
    for (const hops of [MARK, `another, ${MARK}`]) {
      expect(await ask(path, hops, null)).toMatchObject({
        status: 508,
        body: {
          error: 'Loop Detected',
          message:
            'This request comes from the gateway itself: a registered API leads back to it. Call the tool directly.',
        },
      });
    }
  },
);

test('a request of another gateway is not', async () => {
  expect((await ask('/api/v1/tools', createHopMark(undefined))).status).toBe(200);
  expect((await ask('/api/v1/tools', '')).status).toBe(200);
});

test('processes with the same key share their mark; without a key, each has its own', () => {
  expect(createHopMark(new Secret(KEY))).toBe(MARK);
  expect(createHopMark(new Secret('another'))).not.toBe(MARK);
  expect(createHopMark(undefined)).not.toBe(createHopMark(undefined));
  expect(MARK).toMatch(/^[0-9a-f]{24}$/);
});
