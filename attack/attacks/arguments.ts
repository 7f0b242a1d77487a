import { setTimeout as sleep } from 'node:timers/promises';
import { type Arena, MEMORY_BYTES, MIB } from '../arena.ts';
import { type Attack, verdict } from '../attack.ts';

const MAX_RESPONSE_BYTES = 64 * 1024;
const MAX_RECORD_BYTES = 64 * 1024;
/** How long one hostile call may delay the calls of others. */
const MAX_DELAY_MS = 150;
/** A machine that pauses by itself delays calls, too, but hardly in each of so many attempts. */
const ATTEMPTS = 3;

/** The duration of the slowest of ten calls of the victim during an attack, which is repeated if it is too long. */
async function delayBy(arena: Arena, attack: () => Promise<unknown>): Promise<number> {
  let leastMs = Number.POSITIVE_INFINITY;
  for (let n = 0; n < ATTEMPTS && leastMs >= MAX_DELAY_MS; n++) {
    leastMs = Math.min(leastMs, await delayOnce(arena, attack));
  }
  return leastMs;
}

async function delayOnce(arena: Arena, attack: () => Promise<unknown>): Promise<number> {
  const call = async (): Promise<number> => {
    const startedMs = performance.now();
    await arena.call('victim_rows', { n: 1 }, arena.victimKey);
    return performance.now() - startedMs;
  };
  await call();
  const took: number[] = [];
  const victim = async (): Promise<void> => {
    for (let n = 0; n < 10; n++) took.push(await call());
  };
  await Promise.all([attack(), victim()]);
  return Math.max(...took);
}

async function postRaw(arena: Arena, body: string): Promise<number> {
  const response = await fetch(`${arena.url}/mcp`, {
    method: 'POST',
    headers: { 'x-api-key': arena.attackerKey, 'content-type': 'application/json' },
    body,
  });
  return (await response.arrayBuffer()).byteLength;
}

const call = (tool: string, args: object): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: tool, arguments: args },
  });

export const argumentAttacks: readonly Attack[] = [
  {
    name: '`_fields` with 340,000 entries',
    bound: `the response under ${MAX_RESPONSE_BYTES / 1024} KB, a victim waits under ${MAX_DELAY_MS} ms`,
    run: async (arena) => {
      const body = call('arena_rows', { _fields: new Array(340_000).fill('') });
      let bytes = 0;
      const waitMs = await delayBy(arena, async () => {
        bytes = await postRaw(arena, body);
      });
      const held = bytes < MAX_RESPONSE_BYTES && waitMs < MAX_DELAY_MS;
      return verdict(held, `${bytes} bytes, ${Math.round(waitMs)} ms`);
    },
  },
  {
    name: '`_fields` in 200 bodies of 8 KB',
    bound: `an audit record under ${MAX_RECORD_BYTES / 1024} KB`,
    run: async (arena) => {
      const body = call('arena_rows', { _fields: new Array(2500).fill('') });
      for (let n = 0; n < 200; n++) await postRaw(arena, body);
      const { text } = await arena.get('/api/v1/audit?limit=1');
      return verdict(text.length < MAX_RECORD_BYTES, `${text.length} bytes`);
    },
  },
  {
    name: 'a page of audit records, 500 of them large',
    bound: 'under 2 MB',
    run: async (arena) => {
      const { text } = await arena.get('/api/v1/audit?limit=500');
      return verdict(text.length < 2 * MIB, `${text.length} bytes`);
    },
  },
  {
    name: 'lists of hundreds of thousands of wrong items, 5 per second',
    bound: `a victim waits under ${MAX_DELAY_MS} ms`,
    run: async (arena) => {
      const body = call('arena_list', { values: new Array(250_000).fill('x') }).slice(0, MIB - 1);
      const whole = call('arena_list', { values: new Array(200_000).fill('x') });
      const waitMs = await delayBy(arena, async () => {
        for (let n = 0; n < 5; n++) {
          await Promise.all([postRaw(arena, whole), postRaw(arena, body), sleep(200)]);
        }
      });
      return verdict(waitMs < MAX_DELAY_MS, `${Math.round(waitMs)} ms`);
    },
  },
  {
    name: 'JSON that is deeply nested, repeats members or has very long values',
    bound: `memory under ${MEMORY_BYTES / MIB} MB, a victim waits under ${MAX_DELAY_MS} ms`,
    run: async (arena) => {
      const bodies = [
        '['.repeat(1_000_000),
        `{"a":${'{"a":'.repeat(100_000)}`,
        `[${'{},'.repeat(330_000)}{}]`,
        `{${'"a":1,'.repeat(160_000)}"a":1}`,
        `[${'"",'.repeat(330_000)}""]`,
        `[${'9'.repeat(1_000_000)}]`,
        `{"jsonrpc":"2.0","id":1e400,"method":"${'x'.repeat(900_000)}"}`,
      ];
      arena.peakRssBytes();
      const waitMs = await delayBy(arena, async () => {
        for (const body of bodies) await postRaw(arena, body);
      });
      const peak = arena.peakRssBytes();
      return verdict(
        waitMs < MAX_DELAY_MS && peak < MEMORY_BYTES,
        `${Math.round(waitMs)} ms, at most ${Math.round(peak / MIB)} MB`,
      );
    },
  },
];
