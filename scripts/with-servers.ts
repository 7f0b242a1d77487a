import { spawn } from 'node:child_process';
import { ownPostgres, ownRedis } from '../test/support/own-servers.ts';
import { temporaryRoot } from '../test/support/temporary-root.ts';

/** Runs a command with its own PostgreSQL and Redis, whose addresses are in TEST_DATABASE_URL and TEST_REDIS_URL. */
process.env['TMPDIR'] = temporaryRoot();
const [command = '', ...args] = process.argv.slice(2);
const [postgres, redis] = await Promise.all([ownPostgres(), ownRedis()]);
try {
  await Promise.all([postgres.start(), redis.start()]);
  process.exitCode = await new Promise<number>((resolve, reject) => {
    const env = { ...process.env, TEST_DATABASE_URL: postgres.url, TEST_REDIS_URL: redis.url };
    const child = spawn(command, args, { stdio: 'inherit', env })
      .once('error', reject)
      .once('exit', (code) => resolve(code ?? 1));
    // The servers are removed once the command has ended. A terminal sends SIGINT to the command itself.
    process.on('SIGINT', () => undefined);
    process.on('SIGTERM', () => child.kill('SIGTERM'));
  });
} finally {
  await Promise.all([postgres.remove(), redis.remove()]);
}
