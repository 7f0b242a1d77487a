import { setTimeout as sleep } from 'node:timers/promises';
import { type Arena, MEMORY_BYTES, MIB } from '../arena.ts';
import { type Attack, type Verdict, verdict } from '../attack.ts';
import { createSockets, rawCall, rawRequest, type Sockets } from '../sockets.ts';

const HOLD_MS = 3000;
const BOUND = `memory stays under ${MEMORY_BYTES / MIB} MB, others are served`;

/** An attack that holds sockets open while the memory is measured. */
function holding(
  name: string,
  open: (arena: Arena, sockets: Sockets) => void | Promise<void>,
): Attack {
  return {
    name,
    bound: BOUND,
    run: async (arena) => {
      const sockets = createSockets(arena.port);
      arena.peakRssBytes();
      try {
        await open(arena, sockets);
        await sleep(HOLD_MS);
        return await memoryOf(arena);
      } finally {
        sockets.closeAll();
      }
    },
  };
}

async function memoryOf(arena: Arena): Promise<Verdict> {
  const isServed = (await arena.call('victim_rows', { n: 1 }, arena.victimKey)).body.result;
  await arena.rssBytes();
  const peak = arena.peakRssBytes();
  const held = arena.isAlive() && peak < MEMORY_BYTES && Boolean(isServed);
  return verdict(held, `at most ${Math.round(peak / MIB)} MB${isServed ? '' : ', victim refused'}`);
}

const times = (count: number, action: (n: number) => void): void => {
  for (let n = 0; n < count; n++) action(n);
};

export const memoryAttacks: readonly Attack[] = [
  holding(
    '1,000 sockets each request the API page 20 times and read nothing',
    (_arena, sockets) => {
      const request = rawRequest('GET /docs/', {}).repeat(20);
      times(1000, () => sockets.open(request));
    },
  ),
  holding(
    '300 sockets each request the API description 50 times and read nothing',
    (_arena, sockets) => {
      const request = rawRequest('GET /openapi.json', {}).repeat(50);
      times(300, () => sockets.open(request));
    },
  ),
  holding('40 concurrent responses of 10 MB', async (arena) => {
    await Promise.allSettled(
      Array.from({ length: 40 }, (_, n) => arena.call('arena_large', { mib: 10, n })),
    );
  }),
  holding('61 slow readers of one response of 10 MB', (arena, sockets) => {
    times(61, () => sockets.open(rawCall(arena.attackerKey, 'arena_large', { mib: 10, n: 0 })));
  }),
  holding('61 slow readers of 61 responses of 10 MB', (arena, sockets) => {
    times(61, (n) =>
      sockets.open(rawCall(arena.attackerKey, 'arena_large', { mib: 10, n: 100 + n })),
    );
  }),
  holding('100 list bodies of 1 MB at once', (arena, sockets) => {
    const values = new Array(340_000).fill(12);
    const request = rawCall(arena.attackerKey, 'arena_list', { values });
    times(100, () => sockets.open(request));
  }),
  holding('200 bodies of 1 MB that never end', (arena, sockets) => {
    const whole = rawCall(arena.attackerKey, 'arena_list', { values: new Array(340_000).fill(12) });
    times(200, () => sockets.open(whole.slice(0, -1)));
  }),
  holding('bodies of 1 MB in chunks of one byte', (arena, sockets) => {
    const head = rawRequest('POST /mcp', {
      'x-api-key': arena.attackerKey,
      'content-type': 'application/json',
      'transfer-encoding': 'chunked',
    });
    const chunks = '1\r\n1\r\n'.repeat(200_000);
    times(20, () => sockets.open(head + chunks));
  }),
  holding('one HTTP+SSE session with 64 unread responses of 5 MB', async (arena, sockets) => {
    const stream = sockets.open(
      rawRequest('GET /mcp/sse', {
        'x-api-key': arena.attackerKey,
        accept: 'text/event-stream',
      }),
      { read: true },
    );
    while (!stream.text().includes('sessionId=')) await sleep(20);
    const path = /\/mcp\?sessionId=\S+/.exec(stream.text())?.[0] ?? '';
    stream.socket.pause();
    await Promise.allSettled(
      Array.from({ length: 64 }, (_, id) =>
        fetch(`${arena.url}${path}`, {
          method: 'POST',
          headers: { 'x-api-key': arena.attackerKey, 'content-type': 'application/json' },
          body: JSON.stringify({
            jsonrpc: '2.0',
            id,
            method: 'tools/call',
            params: { name: 'arena_large', arguments: { mib: 5, n: 1000 + id } },
          }),
        }),
      ),
    );
  }),
  holding('2,000 unread tool lists on 100 sockets', (arena, sockets) => {
    const list = rawRequest(
      'POST /mcp?tools=arena_*',
      { 'x-api-key': arena.attackerKey, 'content-type': 'application/json' },
      '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    ).repeat(20);
    times(100, () => sockets.open(list));
  }),
  holding('5,000 idle connections', (_arena, sockets) => {
    times(5000, () => sockets.open());
  }),
];
