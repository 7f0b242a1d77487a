import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './ports.ts';
import { makeOwnDir } from './temporary-dir.ts';

/** A server that the test starts, stops and restarts, with its data preserved. */
export interface OwnServer {
  readonly url: string;
  start(): Promise<void>;
  stop(): Promise<void>;
  remove(): Promise<void>;
}

const postgresBin = (): string => {
  const root = '/usr/lib/postgresql';
  const newest = readdirSync(root)
    .sort((a, b) => Number(a) - Number(b))
    .at(-1);
  return join(root, newest ?? '', 'bin');
};

function hasPrograms(): boolean {
  try {
    execFileSync('which', ['redis-server']);
    return postgresBin().length > 0;
  } catch {
    return false;
  }
}

/** Whether both can be started on this machine; in CI, their absence is a failure. */
export const ownServersAvailable = hasPrograms();
if (!ownServersAvailable) {
  if (process.env['CI'] === 'true') {
    throw new Error('PostgreSQL and redis-server must be installed when CI=true.');
  }
  console.warn('PostgreSQL or redis-server is not installed: tests that stop them are skipped.');
}

/** PostgreSQL refuses to run as root. */
const asPostgres = (command: string, args: string[]): [string, string[]] =>
  process.getuid?.() === 0
    ? ['runuser', ['-u', 'postgres', '--', command, ...args]]
    : [command, args];

function run(command: string, args: string[]): ChildProcess {
  const child = spawn(command, args, { stdio: 'ignore' });
  process.once('exit', () => child.kill('SIGKILL'));
  return child;
}

async function stopped(child: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> {
  if (!child || child.exitCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await exited;
}

export async function ownRedis(): Promise<OwnServer> {
  const port = await freePort();
  const { dir, remove } = await makeOwnDir();
  let child: ChildProcess | undefined;
  return {
    url: `redis://127.0.0.1:${port}`,
    start: async () => {
      child = run('redis-server', [
        '--bind',
        '127.0.0.1',
        '--port',
        String(port),
        '--save',
        '',
        '--dir',
        dir,
      ]);
      await untilReady('redis-cli', ['-p', String(port), 'ping']);
    },
    stop: () => stopped(child, 'SIGTERM'),
    remove: async () => {
      await stopped(child, 'SIGKILL');
      await remove();
    },
  };
}

export async function ownPostgres(): Promise<OwnServer> {
  const port = await freePort();
  const { dir, remove } = await makeOwnDir(() => stopNow());
  // The server's user needs access to the directory.
  chmodSync(dir, 0o777);
  const data = join(dir, 'data');
  execFileSync(
    ...asPostgres(join(postgresBin(), 'initdb'), [
      '-D',
      data,
      '-A',
      'trust',
      '-U',
      'test',
      '--no-sync',
    ]),
  );
  const control = (...args: string[]): void => {
    execFileSync(...asPostgres(join(postgresBin(), 'pg_ctl'), ['-D', data, '-s', '-w', ...args]), {
      stdio: 'ignore',
    });
  };
  const stopNow = (): void => {
    try {
      control('stop', '-m', 'immediate');
    } catch {
      // It has already stopped.
    }
  };
  return {
    url: `postgres://test@127.0.0.1:${port}/postgres`,
    start: async () => {
      control(
        'start',
        '-l',
        join(dir, 'log'),
        '-o',
        `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off`,
      );
    },
    stop: async () => control('stop', '-m', 'fast'),
    remove: async () => {
      stopNow();
      await remove();
    },
  };
}

async function untilReady(command: string, args: string[]): Promise<void> {
  for (;;) {
    try {
      execFileSync(command, args, { stdio: 'ignore' });
      return;
    } catch {
      await sleep(50);
    }
  }
}
