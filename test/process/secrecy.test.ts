import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { newApiKeyText } from '../../src/platform/kernel/ids.ts';
import {
  encodeCall,
  planFault,
  type RunningGateway,
  runGatewayCommand,
} from '../support/gateway-process.ts';
import { until } from '../support/until.ts';
import { temporaryDir, temporaryGateway } from './temporary.ts';

const SERVICE_KEY = 'Recognisable+Service/Key==';
const PASSWORD = 'recognisable-password';
const ENCRYPTION_KEY = Buffer.from('a recognisable encryption key 32').toString('base64');

/** A secret in every encoding in which it might be written. */
const formsOf = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  encodeURIComponent(encodeURIComponent(secret)),
  new URLSearchParams({ '': secret }).toString().slice(1),
  Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  Buffer.from(secret).toString('hex'),
];

/** The names of the secrets of which any form occurs in the text. */
const findSecrets = (secrets: Readonly<Record<string, string>>, text: string): string[] =>
  Object.entries(secrets)
    .filter(([, secret]) => formsOf(secret).some((form) => text.includes(form)))
    .map(([name]) => name);

/** The contents of all files of a directory, byte by byte. */
const contentsOf = (dir: string): string =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'))
    .join('\n');

const SANDBOX_FAULTS = ['key', 'expired', 'quota', 'html', 'truncate', 'status:500', 'delay:1000'];

/** Makes successful and failing requests of every kind, and returns everything that clients received. */
async function useGateway(gateway: RunningGateway): Promise<string> {
  const seen: string[] = [];
  const ask = async (path: string, init: RequestInit = {}): Promise<void> => {
    const headers = { 'x-api-key': gateway.key, 'content-type': 'application/json' };
    const response = await fetch(gateway.url + path, { headers, ...init });
    seen.push(JSON.stringify([...response.headers]), await response.text());
  };
  const post = (body: string) => ask('/mcp', { method: 'POST', body });
  for (const [index, fault] of ['', ...SANDBOX_FAULTS].entries()) {
    if (fault) await planFault(gateway, fault);
    // Its upstream needs the service key; the page number keeps the responses apart in the cache.
    await post(encodeCall('tour_region_codes', { pageNo: index + 1 }));
  }
  await post(encodeCall('frankfurter_rates', { base: 5 }));
  await post(encodeCall('no_such_tool', {}));
  await post(`{"broken": "${'x'.repeat(100)}`);
  for (const path of ['/api/v1/tools', '/api/v1/audit', '/registry/tools', '/health/detailed']) {
    await ask(path);
  }
  await ask(`/api/v1/tools?api_key=${gateway.key}`, { headers: {} });
  await ask('/api/v1/tools', { headers: { authorization: `Basic ${gateway.key}` } });
  await ask('/api/v1/tools', {
    headers: { authorization: `Bearer ${gateway.key}`, 'x-api-key': `${gateway.key}x` },
  });
  return seen.join('\n');
}

describe('secrets', () => {
  test.each([
    ['as issued decoded', SERVICE_KEY],
    ['as issued encoded', encodeURIComponent(SERVICE_KEY)],
  ])(
    'never appear in responses, output, logs or files (service key %s)',
    async (_form, serviceKey) => {
      const dataDir = await temporaryDir();
      const secrets = {
        serviceKey: SERVICE_KEY,
        apiKey: newApiKeyText(),
        password: PASSWORD,
        encryptionKey: ENCRYPTION_KEY,
      };
      const env = {
        DATA_DIR: dataDir,
        LOG_LEVEL: 'trace',
        UPSTREAM_TIMEOUT_MS: '500',
        BOOTSTRAP_API_KEY: secrets.apiKey,
        PUBLIC_DATA_SERVICE_KEY: serviceKey,
        ADMIN_PASSWORD: PASSWORD,
        ENCRYPTION_KEY,
        // Nothing listens there, so the outage is logged.
        REDIS_URL: `redis://user:${PASSWORD}@127.0.0.1:1`,
      };
      const gateway = await temporaryGateway(env);
      const seen = await useGateway(gateway);
      await until(() => gateway.stderr().includes('Redis is away'));
      const whileRunning = contentsOf(dataDir);
      const exported = await runGatewayCommand(['audit', 'export'], env);
      const listed = await runGatewayCommand(['keys', 'list'], env);
      await gateway.stop();

      expect(exported.stdout.split('\n').length).toBeGreaterThan(SANDBOX_FAULTS.length);
      expect(exported.stdout).toContain('&serviceKey"');
      expect(seen).toContain('serviceKey=REDACTED');
      const places = {
        responses: seen,
        stdout: gateway.stdout(),
        stderr: gateway.stderr(),
        export: exported.stdout + exported.stderr,
        keys: listed.stdout + listed.stderr,
        filesWhileRunning: whileRunning,
        files: contentsOf(dataDir),
      };
      for (const [place, text] of Object.entries(places)) {
        expect({ place, found: findSecrets(secrets, text) }).toEqual({ place, found: [] });
      }
    },
  );

  test('created by the gateway appear only in the file of the start that created them', async () => {
    const dataDir = await temporaryDir();
    const gateway = await temporaryGateway({ DATA_DIR: dataDir, LOG_LEVEL: 'trace' });
    const seen = await useGateway(gateway);
    await gateway.stop();
    const secrets = { apiKey: gateway.key };
    expect(readFileSync(join(dataDir, 'first-api-key'), 'utf8')).toBe(`${gateway.key}\n`);
    rmSync(join(dataDir, 'first-api-key'));
    for (const text of [seen, gateway.stdout(), gateway.stderr(), contentsOf(dataDir)]) {
      expect(findSecrets(secrets, text)).toEqual([]);
    }
  });
});
