import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChaosArena } from './chaos-arena.ts';

/** One fault, which is mended again when it resolves. */
export interface ChaosFault {
  readonly name: string;
  /** Whether no call may fail meanwhile. */
  readonly isHarmless?: true;
  /** Whether CI tries it, too. */
  readonly isShort?: true;
  readonly act: (arena: ChaosArena) => Promise<void>;
}

/** How long a fault lasts. */
const LASTING_MS = 3000;

const redis = ({ redis: { url } }: ChaosArena, ...args: string[]): void => {
  execFileSync('redis-cli', ['-u', url, ...args], { stdio: 'ignore' });
};

/** Stops or continues the processes of the server at that address. */
function signal(url: string, name: 'SIGSTOP' | 'SIGCONT'): void {
  const pids = (...args: string[]): number[] =>
    execFileSync('pgrep', args, { encoding: 'utf8' }).trim().split('\n').map(Number);
  const { port, protocol } = new URL(url);
  const [parent = 0] = pids(
    '-f',
    protocol === 'redis:' ? `redis-server.*:${port}` : `postgres.* -p ${port}`,
  );
  const children = protocol === 'redis:' ? [] : pids('-P', `${parent}`);
  for (const pid of [parent, ...children]) process.kill(pid, name);
}

const lasting =
  (begin: (arena: ChaosArena) => unknown, end: (arena: ChaosArena) => unknown): ChaosFault['act'] =>
  async (arena) => {
    await begin(arena);
    await sleep(LASTING_MS);
    await end(arena);
  };

/** Every replica's way to one kind of server takes half a second. */
const farAway = (kind: 'toPostgres' | 'toRedis'): ChaosFault['act'] =>
  lasting(
    ({ replicas }) => {
      for (const replica of replicas) replica[kind].delay(500);
    },
    ({ replicas }) => {
      for (const replica of replicas) replica[kind].mend();
    },
  );

export const CHAOS_FAULTS: readonly ChaosFault[] = [
  {
    name: 'rolling restart',
    isHarmless: true,
    isShort: true,
    act: async ({ replicas }) => {
      for (const replica of replicas) {
        const { code } = await replica.gateway.stop();
        if (code !== 0) throw new Error(`A replica ended with code ${code}.`);
        await replica.restart();
        await sleep(1000);
      }
    },
  },
  {
    name: 'a replica killed (kill -9)',
    isShort: true,
    act: async ({ replicas: [replica] }) => {
      replica.gateway.kill('SIGKILL');
      await replica.gateway.ended;
      await replica.restart();
    },
  },
  {
    name: 'PostgreSQL stopped',
    isShort: true,
    act: lasting(
      ({ postgres }) => postgres.stop(),
      ({ postgres }) => postgres.start(),
    ),
  },
  {
    name: 'Redis stopped',
    isHarmless: true,
    isShort: true,
    act: lasting(
      ({ redis: server }) => server.stop(),
      ({ redis: server }) => server.start(),
    ),
  },
  {
    name: 'PostgreSQL frozen',
    act: lasting(
      ({ postgres }) => signal(postgres.url, 'SIGSTOP'),
      ({ postgres }) => signal(postgres.url, 'SIGCONT'),
    ),
  },
  {
    name: 'Redis frozen',
    isHarmless: true,
    act: lasting(
      ({ redis: server }) => signal(server.url, 'SIGSTOP'),
      ({ redis: server }) => signal(server.url, 'SIGCONT'),
    ),
  },
  {
    name: 'PostgreSQL 500 ms away',
    act: farAway('toPostgres'),
  },
  {
    name: 'Redis 500 ms away',
    isHarmless: true,
    act: farAway('toRedis'),
  },
  {
    name: 'PostgreSQL read-only',
    act: async (arena) => {
      await arena.query('alter system set default_transaction_read_only = on');
      await arena.query('select pg_reload_conf()');
      await sleep(LASTING_MS);
      await arena.query('alter system reset default_transaction_read_only');
      await arena.query('select pg_reload_conf()');
    },
  },
  {
    name: 'Redis that takes no writes',
    isHarmless: true,
    act: lasting(
      (arena) => redis(arena, 'config', 'set', 'min-replicas-to-write', '1'),
      (arena) => redis(arena, 'config', 'set', 'min-replicas-to-write', '0'),
    ),
  },
  {
    name: 'Redis without memory',
    isHarmless: true,
    act: lasting(
      (arena) => redis(arena, 'config', 'set', 'maxmemory', '1'),
      (arena) => redis(arena, 'config', 'set', 'maxmemory', '0'),
    ),
  },
  {
    name: 'one replica cut off from Redis',
    isHarmless: true,
    act: lasting(
      ({ replicas: [replica] }) => replica.toRedis.cut(),
      ({ replicas: [replica] }) => replica.toRedis.mend(),
    ),
  },
  {
    name: 'one replica cut off from PostgreSQL',
    act: lasting(
      ({ replicas: [replica] }) => replica.toPostgres.cut(),
      ({ replicas: [replica] }) => replica.toPostgres.mend(),
    ),
  },
];
