import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type RunningGateway,
  runGatewayCommand,
  startGatewayProcess,
} from '../support/gateway-process.ts';
import { openSse, type SseClient } from '../support/sse-client.ts';
import { makeDataDir, removeDir } from '../support/temporary-dir.ts';
import { until } from '../support/until.ts';
import { presetWith } from './temporary.ts';

let root: string;
let env: Record<string, string>;
let gateway: RunningGateway;
let stream: SseClient;
beforeAll(async () => {
  root = await makeDataDir();
  await writePreset('presets/a/first.yaml', presetWith('first_tool'));
  await writePreset('presets/samples/a/first_tool.json', '{"sample": 1}');
  await writePreset('extra/b/second.yaml', presetWith('second_tool'));
  await writePreset('extra/samples/b/second_tool.json', '{"sample": 2}');
  env = {
    DATA_DIR: join(root, 'data'),
    PRESETS_DIR: join(root, 'presets'),
    PRESETS_EXTRA_DIRS: ` ${join(root, 'extra')}, `,
  };
  gateway = await startGatewayProcess(env);
  stream = await openSse(gateway.url, gateway.key);
  // Only MCP clients are notified.
  const sessionId = stream.clientId;
  await fetch(`${gateway.url}/mcp?sessionId=${sessionId}`, {
    method: 'POST',
    headers: { 'x-api-key': gateway.key, 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  });
  await until(() => stream.messages().length > 0);
});
afterAll(async () => {
  stream.close();
  await gateway.stop();
  await removeDir(root);
});

async function writePreset(path: string, text: string): Promise<void> {
  await mkdir(join(root, path, '..'), { recursive: true });
  await writeFile(join(root, path), text);
}

const notifications = () =>
  stream.messages().filter(({ method }) => method === 'notifications/tools/list_changed').length;

const listed = async (): Promise<string[]> => {
  const response = await fetch(`${gateway.url}/registry/tools`);
  const { tools } = (await response.json()) as { tools: { name: string }[] };
  return tools.map(({ name }) => name);
};

const dataOf = async (name: string) => {
  const { result, error } = await gateway.call(name);
  return error?.message ?? (result as unknown as { data: unknown }).data;
};

test('further presets have their tools beside the others, and samples of their own', async () => {
  expect(await listed()).toEqual(['first_tool', 'second_tool']);
  expect(await dataOf('first_tool')).toEqual({ sample: 1 });
  expect(await dataOf('second_tool')).toEqual({ sample: 2 });
  const checked = await runGatewayCommand(['presets', 'check', '--json'], env);
  expect(JSON.parse(checked.stdout)).toMatchObject({ files: 2 });
});

test('a changed file is used without a restart, clients are notified, and cached responses stay', async () => {
  await writePreset('extra/b/third.yaml', presetWith('third_tool'));
  await writePreset('extra/samples/b/third_tool.json', '{"sample": 3}');
  await until(async () => (await listed()).includes('third_tool'));
  await until(() => notifications() > 0);
  expect(notifications()).toBe(1);
  expect(await dataOf('third_tool')).toEqual({ sample: 3 });
  expect((await gateway.call('second_tool')).result?.cacheStatus).toBe('HIT');
});

test('a faulty file changes nothing, and the log names it', async () => {
  const before = await listed();
  await writePreset('extra/b/second.yaml', presetWith('first_tool'));
  await until(() => gateway.stderr().includes('The tools of presets stay as they are.'));
  expect(gateway.stderr()).toContain(
    `${join(root, 'extra/b/second.yaml')}:6: The tool name \\"first_tool\\" is already used at ${join(root, 'presets/a/first.yaml')}:6.`,
  );
  expect([await listed(), notifications()]).toEqual([before, 1]);
  expect(await dataOf('second_tool')).toEqual({ sample: 2 });
});

test('SIGHUP reads all files again, with the secrets that they name', async () => {
  await writePreset(
    'extra/b/second.yaml',
    presetWith('keyed_tool').replace(
      'responses',
      'parameters: [{ name: key, in: query, required: true, schema: { type: string }, x-secret: NEW_KEY }]\n      responses',
    ),
  );
  gateway.kill('SIGHUP');
  await until(async () => (await listed()).includes('keyed_tool'));
  expect(await listed()).toEqual(['first_tool', 'keyed_tool', 'third_tool']);
  expect(await dataOf('second_tool')).toContain('second_tool');
  const detailed = await fetch(`${gateway.url}/health/detailed`, {
    headers: { 'x-api-key': gateway.key },
  });
  expect(await detailed.json()).toMatchObject({ catalog: { servers: 3, tools: 3 } });
  await until(() => notifications() === 2);
  // The secret is known, and the sandbox has no sample.
  expect((await gateway.call('keyed_tool')).result).toMatchObject({ upstream: { status: 501 } });
});

test('a new toolset can be chosen, and clients are notified', async () => {
  const list = () =>
    fetch(`${gateway.url}/mcp?toolset=few`, {
      method: 'POST',
      headers: { 'x-api-key': gateway.key, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    }).then((response) => response.text());
  expect(await list()).toContain('error');
  await writePreset(
    'toolsets/few.yaml',
    'title: Few\ndescription: One tool.\ntools: [first_tool]\n',
  );
  gateway.kill('SIGHUP');
  await until(() => notifications() === 3);
  expect((await list()).match(/\w+_tool"/g)).toEqual(['first_tool"']);
});

test('the list of companies follows the presets', async () => {
  const company = () =>
    gateway.call('find_code', { kind: 'company', text: '삼성전자' }).then(({ error }) => error);
  expect((await company())?.message).toContain('/kind');
  await writePreset(
    'extra/b/company.yaml',
    presetWith('company_tool').replace(
      'responses',
      `parameters:
        - { name: key, in: query, required: true, schema: { type: string }, x-secret: NEW_KEY }
        - { name: corp, in: query, schema: { type: string }, x-code-kind: company }
      responses`,
    ),
  );
  gateway.kill('SIGHUP');
  await until(async () => (await listed()).includes('company_tool'));
  // The sandbox has no such list.
  expect((await company())?.message).toContain('The provider did not send the list of companies');
  await rm(join(root, 'extra/b/company.yaml'));
  gateway.kill('SIGHUP');
  await until(async () => !(await listed()).includes('company_tool'));
  expect((await company())?.message).toContain('/kind');
});
