import { setTimeout as sleep } from 'node:timers/promises';
import type { Arena } from '../arena.ts';
import { type Attack, verdict } from '../attack.ts';
import { createSockets, rawCall } from '../sockets.ts';

const SLOW_MS = 8000;

async function waitingAtUpstream(arena: Arena): Promise<number> {
  const response = await fetch(`${arena.upstreamUrl}/waiting`);
  return ((await response.json()) as { waiting: number }).waiting;
}

export const fairnessAttacks: readonly Attack[] = [
  {
    name: '300 slow calls of one tenant at one upstream',
    bound: 'a call of another tenant there is answered within 2 s',
    run: async (arena) => {
      const sockets = createSockets(arena.port);
      try {
        for (let n = 0; n < 300; n++) {
          sockets.open(rawCall(arena.attackerKey, 'arena_slow', { ms: SLOW_MS + n }));
        }
        await sleep(500);
        const startedMs = performance.now();
        const { body } = await arena.call('arena_rows', { n: Date.now() }, arena.victimKey);
        const tookMs = performance.now() - startedMs;
        const held = body.result !== undefined && tookMs < 2000;
        return verdict(
          held,
          `${body.result ? 'answered' : body.error?.message} in ${Math.round(tookMs)} ms`,
        );
      } finally {
        sockets.closeAll();
      }
    },
  },
  {
    name: '50 clients that disconnect while their upstream request runs',
    bound: 'the connections to the upstream are released within 2 s',
    run: async (arena) => {
      const sockets = createSockets(arena.port);
      for (let n = 0; n < 50; n++) {
        sockets.open(rawCall(arena.attackerKey, 'arena_slow', { ms: 20_000 + n }));
      }
      await sleep(700);
      const before = await waitingAtUpstream(arena);
      sockets.closeAll();
      await sleep(2000);
      const after = await waitingAtUpstream(arena);
      return verdict(before > 0 && after === 0, `${before} before, ${after} after`);
    },
  },
  {
    name: '20 failing calls of one tenant in a row',
    bound: 'a call of another tenant to the same upstream is sent',
    run: async (arena) => {
      await arena.call('arena_rows', { n: Date.now() }, arena.victimKey);
      for (let n = 0; n < 20; n++) await arena.call('arena_fail', {});
      const { body } = await arena.call('arena_rows', { n: Date.now() }, arena.victimKey);
      return verdict(
        body.result?.cacheStatus === 'MISS',
        body.error?.message ?? body.result?.cacheStatus,
      );
    },
  },
];
