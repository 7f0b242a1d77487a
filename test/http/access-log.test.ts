import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { until } from '../support/until.ts';

interface Line {
  readonly msg: string;
  readonly [member: string]: unknown;
}

let gateway: TestGateway;
let text = '';
const write = (line: string): void => {
  text += line;
};
const logger = pino({ level: 'info' }, { write });
const lines = (): Line[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
    .filter(({ msg }: Line) => msg === 'request');

beforeAll(async () => {
  gateway = await startTestGateway({ env: { ACCESS_LOG: 'true' }, logger });
});
beforeEach(() => {
  text = '';
});
afterAll(() => gateway.close());

it('has one line for a call, with the id of its key but not the key', async () => {
  const { id, key } = await gateway.createKey('default');
  const response = await gateway.fetch('/mcp?tools=secret-value', {
    key,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  });
  const bytes = (await response.text()).length;
  await until(() => lines().length > 0);
  expect(lines()).toMatchObject([
    {
      level: 30,
      method: 'POST',
      path: '/mcp',
      status: 200,
      clientAddress: '127.0.0.1',
      apiKeyId: id,
      requestId: response.headers.get('x-request-id'),
    },
  ]);
  const [line] = lines();
  expect(line?.['bytes']).toBeGreaterThan(bytes);
  expect(line?.['ms']).toBeGreaterThan(0);
  expect(text).not.toContain(key);
  expect(text).not.toContain('secret-value');
});

it.each([
  ['/health', 200],
  ['/api/v1/tools', 401],
  ['/nothing', 404],
  ['/%', 400],
])('has a line for %s, with status %d', async (path, status) => {
  await gateway.fetch(path, { key: null });
  await until(() => lines().length > 0);
  expect(lines()).toMatchObject([{ path, status, apiKeyId: null }]);
});

it('cuts a long path', async () => {
  await gateway.fetch(`/${'a'.repeat(2000)}`);
  await until(() => lines().length > 0);
  expect(String(lines()[0]?.['path'])).toHaveLength(500);
});

it('has a line for a client that leaves before the response', async () => {
  const leaving = new AbortController();
  const stream = gateway.fetch('/events', { signal: leaving.signal }).catch(() => null);
  await stream;
  leaving.abort();
  await until(() => lines().length > 0);
  expect(lines()).toMatchObject([{ path: '/events' }]);
});

it('is off unless it is set', async () => {
  const other = await startTestGateway({ logger });
  await other.fetch('/health');
  await other.close();
  expect(lines()).toEqual([]);
});
