import { setTimeout as sleep } from 'node:timers/promises';
import { type Arena, newKey } from '../arena.ts';
import { type Attack, verdict, waitUntil } from '../attack.ts';
import { createSockets, rawCall } from '../sockets.ts';

/** A call must be refused within this time, before anything starts. */
const AT_ONCE_MS = 1000;
/** A call of another tenant while a range runs. */
const OTHERS_MS = 2000;

async function numberAt({ upstreamUrl }: Arena, path: string, name: string): Promise<number> {
  const response = await fetch(`${upstreamUrl}${path}`);
  return ((await response.json()) as Record<string, number>)[name] ?? -1;
}
const pagesSent = (arena: Arena): Promise<number> => numberAt(arena, '/pages-sent', 'pages');
const waitingNow = (arena: Arena): Promise<number> => numberAt(arena, '/waiting', 'waiting');

/** A range that must be refused at once, without a request. */
const refused = (name: string, over: unknown, more: object = {}): Attack => ({
  name: `a range: ${name}`,
  bound: 'refused within a second, and nothing is sent',
  run: async (arena) => {
    const before = await pagesSent(arena);
    const startedMs = performance.now();
    const { body } = await arena.call('arena_pages', { kind: 'plain', ...more, _over: over });
    const tookMs = Math.round(performance.now() - startedMs);
    const sent = (await pagesSent(arena)) - before;
    const held = body.error?.code === -32602 && tookMs < AT_ONCE_MS && sent === 0;
    return verdict(held, `${body.error?.code ?? 'answered'} in ${tookMs} ms, ${sent} sent`);
  },
});

/** A range whose pages cannot be trusted. It must not be complete, and not ask for ever. */
const untrusted = (kind: string, what: string, most: number): Attack => ({
  name: `a range of ${what}`,
  bound: `not complete, after at most ${most} requests`,
  run: async (arena) => {
    const before = await pagesSent(arena);
    const { body } = await arena.call('arena_pages', { kind, _over: ['n=1..3'] });
    const sent = (await pagesSent(arena)) - before;
    const isComplete = body.result?.complete;
    const held = isComplete !== true && sent <= most && sent > 0;
    return verdict(held, `complete: ${isComplete ?? body.error?.message}, ${sent} requests`);
  },
});

/** What a call of the other tenant takes while an attack runs. */
async function othersMs({ call, victimKey }: Arena): Promise<number> {
  const startedMs = performance.now();
  const { body } = await call('victim_rows', { n: Math.round(startedMs * 1000) }, victimKey);
  return body.result ? Math.round(performance.now() - startedMs) : Number.POSITIVE_INFINITY;
}

const numbers = (count: number): string => Array.from({ length: count }, (_, n) => n).join(',');

export const rangeAttacks: readonly Attack[] = [
  refused('of a quadrillion numbers', ['n=0..999999999999999']),
  refused('of all days of four centuries', ['day=18000101..22001231']),
  refused('of a million combinations', ['n=1..1000', 'day=20200101..20220926']),
  refused('of 50,000 listed values', [`n=${numbers(50_000)}`]),
  refused('backwards', ['n=5..1']),
  refused('of names that every object has', ['__proto__=1..3', 'constructor=1..3']),
  refused('of the pages themselves', ['page=1..900']),
  refused('of what the gateway reads itself', ['_limit=1..3']),
  refused('within a place of 10,000 brackets', [`n=within:${'('.repeat(10_000)}`]),
  refused('in an object of objects', { n: { in: [{ from: { to: [] } }] } }),
  refused('that a caller also gives', ['n=1..3'], { n: 7 }),
  untrusted('endless', 'endless pages', 1000),
  untrusted('same', 'pages that are all the same', 12),
  untrusted('huge_total', 'nine quadrillion rows', 1000),
  untrusted('negative_total', 'fewer rows than none', 1000),
  untrusted('growing_total', 'a total that grows', 12),
  untrusted('empty', 'empty pages with a total', 12),
  untrusted('failure', 'answers without rows', 12),
  {
    name: 'a range whose units have 400 columns each, all different',
    bound: 'refused, and memory does not grow by 50 MB',
    run: async (arena) => {
      const before = await arena.rssBytes();
      const { body } = await arena.call('arena_pages', { kind: 'wide', _over: ['n=1..200'] });
      const grownMib = Math.round(((await arena.rssBytes()) - before) / 1024 / 1024);
      const held = body.error?.code === -32602 && grownMib < 50;
      return verdict(held, `${body.error?.message ?? 'answered'}, ${grownMib} MiB more`);
    },
  },
  {
    name: 'a range of columns named like its arguments and like members of objects',
    bound: 'every column is there, and what varies keeps its own',
    run: async (arena) => {
      const { body } = await arena.call('arena_pages', { kind: 'names', _over: ['n=1..2'] });
      const names = body.result?.data.columns.map(({ name }: { name: string }) => name).join();
      const rows = JSON.stringify(body.result?.data.rows);
      const held =
        names === 'n,__proto__,constructor,kind,n_row,toString' &&
        rows === '[[1,1,2,3,4,5],[2,1,2,3,4,5]]';
      return verdict(held, `${names}: ${rows}`);
    },
  },
  {
    name: 'a value of a range that looks like further parameters',
    bound: 'the upstream gets it as one value',
    run: async (arena) => {
      const value = 'a&kind=endless#?n=9';
      const over = { kind: { in: [value, 'b'] } };
      const { body } = await arena.call('arena_pages', { n: 1, _over: over });
      const seen = body.result?.data.rows[0]?.[0];
      return verdict(body.result?.complete === true && seen === value, String(seen));
    },
  },
  {
    name: '60 ranges of one tenant at a slow upstream',
    bound: 'three run, the others are refused, and another tenant is answered within 2 s',
    run: async (arena) => {
      const sockets = createSockets(arena.port);
      // Requests of earlier attacks may still wait.
      const idle = await waitingNow(arena);
      const ours = async (): Promise<number> => (await waitingNow(arena)) - idle;
      try {
        for (let n = 0; n < 60; n++) {
          const args = { kind: 'slow', _over: [`n=${n * 10}..${n * 10 + 9}`] };
          sockets.open(rawCall(arena.attackerKey, 'arena_pages', args));
        }
        await waitUntil(async () => (await ours()) >= 12, 5000);
        const [waiting, tookMs] = [await ours(), await othersMs(arena)];
        return verdict(waiting <= 12 && tookMs < OTHERS_MS, `${waiting} requests, ${tookMs} ms`);
      } finally {
        sockets.closeAll();
      }
    },
  },
  {
    name: '20 waves of ranges whose clients disconnect',
    bound: 'the connections to the upstream are released, and ranges can start again',
    run: async (arena) => {
      const idle = await waitingNow(arena);
      for (let wave = 0; wave < 20; wave++) {
        const sockets = createSockets(arena.port);
        for (let n = 0; n < 3; n++) {
          const args = {
            kind: 'slow',
            _over: [`n=${wave * 100 + n * 10}..${wave * 100 + n * 10 + 5}`],
          };
          sockets.open(rawCall(arena.attackerKey, 'arena_pages', args));
        }
        await sleep(100);
        sockets.closeAll();
      }
      await waitUntil(async () => (await waitingNow(arena)) <= idle, 3000);
      const waiting = Math.max(0, (await waitingNow(arena)) - idle);
      const { body } = await arena.call('arena_pages', { kind: 'plain', _over: ['n=1..2'] });
      const held = waiting === 0 && body.result?.complete === true;
      return verdict(held, `${waiting} left, ${body.error?.message ?? 'answered'}`);
    },
  },
  {
    name: '40 dry runs of 1,000 units at once',
    bound: 'nothing is sent, and another tenant is answered within 2 s',
    run: async (arena) => {
      const before = await pagesSent(arena);
      const args = { kind: 'plain', _over: ['n=1..1000'], _dry_run: true };
      const runs = Array.from({ length: 40 }, () => arena.call('arena_pages', args));
      const tookMs = await othersMs(arena);
      const answers = await Promise.all(runs);
      const units = answers.filter(({ body }) => body.result?.data.units === 1000).length;
      const sent = (await pagesSent(arena)) - before;
      return verdict(tookMs < OTHERS_MS && sent === 0, `${units} told, ${sent} sent, ${tookMs} ms`);
    },
  },
  {
    name: 'a range with a key of 30 requests a day',
    bound: 'no more requests are sent than the day allows',
    run: async (arena) => {
      const key = await newKey('ranger', arena.settings, ['--daily-limit', '30']);
      const before = await pagesSent(arena);
      const refusal = await arena.call('arena_pages', { kind: 'plain', _over: ['n=1..40'] }, key);
      await arena.call('arena_pages', { kind: 'endless', _over: ['n=1..20'] }, key);
      const sent = (await pagesSent(arena)) - before;
      const held = refusal.body.error !== undefined && sent <= 30;
      return verdict(held, `${refusal.body.error?.message}, ${sent} sent`);
    },
  },
];
