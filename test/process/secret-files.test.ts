import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { boundPort } from '../../src/http/listen.ts';
import { newApiKeyText } from '../../src/platform/kernel/ids.ts';
import { runGatewayCommand } from '../support/gateway-process.ts';
import { until } from '../support/until.ts';
import { presetFiles, temporaryDir, temporaryGateway } from './temporary.ts';

/** An upstream that collects the keys that it is sent. */
async function keyCollector(): Promise<{ port: number; keys: (string | null)[] }> {
  const keys: (string | null)[] = [];
  const server = createServer((request, response) => {
    keys.push(new URL(request.url ?? '', 'http://upstream').searchParams.get('key'));
    response.setHeader('content-type', 'application/json').end('{}');
  });
  await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  return { port: boundPort(server) ?? 0, keys };
}

const keyedPreset = (port: number): string => `openapi: 3.1.0
info: { title: A keyed tool, version: "1" }
servers: [{ url: "http://127.0.0.1:${port}" }]
paths:
  /one:
    get:
      operationId: keyed
      description: A tool with a key.
      parameters:
        - { name: key, in: query, required: true, schema: { type: string }, x-secret: ROTATED_KEY }
        - { name: n, in: query, schema: { type: integer }, description: A number. }
      responses: { "200": { description: Anything. } }
`;

test('a provider key in a file is replaced at SIGHUP, and kept if its file cannot be used', async () => {
  const { port, keys } = await keyCollector();
  const dir = await temporaryDir();
  const path = join(dir, 'key');
  await writeFile(path, 'recognisable-1\n');
  const gateway = await temporaryGateway(
    {
      DATA_DIR: join(dir, 'data'),
      PRESETS_DIR: await presetFiles({ 'a/keyed.yaml': keyedPreset(port) }),
      ROTATED_KEY_FILE: path,
    },
    [],
  );
  await gateway.call('keyed', { n: 1 });
  await writeFile(path, 'recognisable-2\n');
  gateway.kill('SIGHUP');
  await until(() => gateway.stderr().includes('the provider keys were read again'));
  await gateway.call('keyed', { n: 2 });
  await writeFile(path, 'two\nlines\n');
  gateway.kill('SIGHUP');
  await until(() => gateway.stderr().includes('The provider keys stay as they are.'));
  await gateway.call('keyed', { n: 3 });
  expect(keys).toEqual(['recognisable-1', 'recognisable-2', 'recognisable-2']);
  expect(gateway.stderr()).toContain(`ROTATED_KEY_FILE: ${path} has several lines.`);
  expect(gateway.stdout() + gateway.stderr()).not.toContain('recognisable');
});

test('a start and a command read the same files, which .env files may name', async () => {
  const dir = await temporaryDir();
  const key = newApiKeyText();
  await writeFile(join(dir, 'key'), `${key}\r\n`);
  await writeFile(
    join(dir, '.env'),
    `DATA_DIR=${join(dir, 'data')}\nBOOTSTRAP_API_KEY_FILE=${join(dir, 'key')}\n`,
  );
  const options = ['--env-file', join(dir, '.env')];
  const gateway = await temporaryGateway({ PORT: '0' }, ['--sandbox', ...options]);
  const result = await runGatewayCommand(['call', 'frankfurter_rates', ...options], {
    BASE_URL: gateway.url,
    TOOL_GATEWAY_API_KEY_FILE: join(dir, 'key'),
  });
  expect(JSON.parse(result.stdout)).toMatchObject({ tool: 'frankfurter_rates' });
  expect(gateway.stdout() + gateway.stderr()).not.toMatch(/tg_live_|first-api-key/);
});
