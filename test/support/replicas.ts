import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newApiKeyText } from '../../src/platform/kernel/ids.ts';
import { newEncryptionKey } from '../../src/platform/vault/cipher.ts';
import { postgres } from './databases.ts';
import { type FixtureUpstream, fixturePreset, startFixtureUpstream } from './fixture-upstream.ts';
import {
  type Environment,
  type RunningGateway,
  runGatewayCommand,
  startGatewayProcess,
} from './gateway-process.ts';
import { testRedisUrl } from './redis.ts';
import { makeDataDir, removeDir } from './temporary-dir.ts';

/** Gateway processes with one database, one Redis and one upstream, which the test controls. */
export interface Replicas {
  readonly gateways: readonly [RunningGateway, RunningGateway, ...RunningGateway[]];
  readonly upstream: FixtureUpstream;
  /** Of every replica; DATA_DIR is missing. */
  readonly env: Environment;
  /** Creates a key. Resolves with its text. */
  createKey(...options: string[]): Promise<string>;
  close(): Promise<void>;
}

/** Whether the servers are there that replicas need; in CI, their absence is a failure. */
export const canHaveReplicas = postgres !== undefined && testRedisUrl !== undefined;

/** Starts two replicas with the fixture's tools, in a database of their own. `settings` are those of both. */
export async function startReplicas(settings: Environment = {}): Promise<Replicas> {
  if (!postgres) throw new Error('PostgreSQL is required.');
  const place = await postgres.makePlace();
  const replicas = await startReplicasIn(place.databaseUrl?.reveal() ?? '', settings);
  return {
    ...replicas,
    close: async () => {
      await replicas.close();
      await place.remove();
    },
  };
}

/** The same in a database that exists, and stays, with any number of replicas from two. */
export async function startReplicasIn(
  databaseUrl: string,
  settings: Environment,
  count = 2,
): Promise<Replicas> {
  if (!testRedisUrl) throw new Error('Redis is required.');
  const upstream = await startFixtureUpstream();
  const root = await makeDataDir();
  await mkdir(join(root, 'presets/fixture'), { recursive: true });
  const preset = fixturePreset.replace('http://fixture.invalid', upstream.url);
  await writeFile(join(root, 'presets/fixture/fixture.yaml'), preset);
  const env: Environment = {
    DATABASE_URL: databaseUrl,
    REDIS_URL: testRedisUrl,
    REDIS_KEY_PREFIX: `test:${randomUUID()}:`,
    ENCRYPTION_KEY: newEncryptionKey().reveal(),
    BOOTSTRAP_API_KEY: newApiKeyText(),
    ALLOW_PRIVATE_UPSTREAMS: 'true',
    PRESETS_DIR: join(root, 'presets'),
    FIXTURE_TOKEN: 'fixture-token',
    ...settings,
  };
  const start = (name: string): Promise<RunningGateway> =>
    startGatewayProcess({ ...env, DATA_DIR: join(root, name) }, []);
  const gateways: Replicas['gateways'] = [await start('first'), await start('second')];
  const others: RunningGateway[] = [];
  for (let n = 2; n < count; n++) others.push(await start(`replica-${n}`));
  return {
    gateways: [...gateways, ...others],
    upstream,
    env,
    createKey: async (...options) => {
      const run = runGatewayCommand(['keys', 'create', ...options], { ...env, DATA_DIR: root });
      const { stdout, stderr, code } = await run;
      if (code !== 0) throw new Error(stderr);
      return stdout.trim();
    },
    close: async () => {
      for (const gateway of [...gateways, ...others]) await gateway.stop();
      await upstream.close();
      await removeDir(root);
    },
  };
}
