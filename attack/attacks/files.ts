import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Arena, MEMORY_BYTES, MIB, newKey, openArena } from '../arena.ts';
import { type Attack, type StorageAttack, type Verdict, verdict } from '../attack.ts';
import { percentile } from '../report.ts';
import { createSockets, rawRequest } from '../sockets.ts';

type Link = Readonly<Record<'csv' | 'ndjson' | 'json', string>>;

/** Asks for the file of an answer. Throws if the answer has no link. */
async function linkOf({ call }: Arena, args: object = {}, key?: string): Promise<Link> {
  const { body } = await call('arena_sheet', { n: 1, ...args, _link: true, _limit: 1 }, key);
  const link = body.result?.rows?.link;
  if (!link) throw new Error(`No link: ${body.error?.message ?? body.result?.rows?.hint}`);
  return link;
}

const idIn = (address: string): string => /\/results\/([\w-]+)\./.exec(address)?.[1] ?? '';

async function statusAt(address: string, headers: Record<string, string> = {}): Promise<number> {
  const response = await fetch(address, { headers });
  await response.arrayBuffer();
  return response.status;
}

/** The distinct statuses of some addresses, such as `404`. */
const statusesAt = async (addresses: readonly string[], headers = {}): Promise<string> =>
  [...new Set(await Promise.all(addresses.map((each) => statusAt(each, headers))))].sort().join();

const times = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));

/** Addresses that were made of a valid one: each must be refused. */
const altered = (
  name: string,
  alter: (link: Link, arena: Arena) => readonly string[] | Promise<readonly string[]>,
  expected = '404',
): Attack => ({
  name: `the address of a file: ${name}`,
  bound: `every attempt is ${expected}`,
  run: async (arena) => {
    const addresses = await alter(await linkOf(arena), arena);
    const found = await statusesAt(addresses);
    return verdict(found === expected, `${addresses.length} attempts: ${found}`);
  },
});

const withSignature = (address: string, signature: string): string =>
  address.replace(/sig=.*/, `sig=${signature}`);

const signatureIn = (address: string): string => /sig=([\w-]+)/.exec(address)?.[1] ?? '';

const withExpiry = (address: string, expires: string): string =>
  address.replace(/expires=\d+/, `expires=${expires}`);

const alteredAddresses: readonly Attack[] = [
  altered('a guessed signature', ({ csv }) =>
    times(60, () => withSignature(csv, randomBytes(32).toString('base64url'))),
  ),
  altered('a signature with one other character', ({ csv }) => {
    const signature = signatureIn(csv);
    return [...signature].map((char, at) =>
      withSignature(
        csv,
        signature.slice(0, at) + (char === 'A' ? 'B' : 'A') + signature.slice(at + 1),
      ),
    );
  }),
  altered(
    'a signature that is longer, shorter, empty, missing, in another case or form',
    ({ csv }) => {
      const signature = signatureIn(csv);
      return [
        `${signature}A`,
        `${signature}=`,
        signature.slice(1),
        signature.slice(0, -1),
        '',
        signature.toLowerCase(),
        Buffer.from(signature, 'base64url').toString('hex'),
        `%00${signature}`,
      ]
        .map((each) => withSignature(csv, each))
        .concat(csv.replace(/&?sig=.*/, ''), csv.replace(/\?.*/, ''));
    },
  ),
  altered('a later or odd end', ({ csv }) => {
    const expires = Number(/expires=(\d+)/.exec(csv)?.[1]);
    return [
      `${expires + 1}`,
      `${expires + 86_400}`,
      '99999999999999999999',
      `0${expires}`,
      `${expires}.0`,
      `+${expires}`,
      `${expires}%20`,
      `0x${expires.toString(16)}`,
      '-1',
      'NaN',
      'Infinity',
      '',
    ].map((each) => withExpiry(csv, each));
  }),
  altered('the id of another file of the same tenant', async ({ csv }, arena) => [
    csv.replace(idIn(csv), idIn((await linkOf(arena, { n: 2 })).csv)),
  ]),
  altered('the id of a file of another tenant', async ({ csv }, arena) => [
    csv.replace(idIn(csv), idIn((await linkOf(arena, {}, arena.victimKey)).csv)),
  ]),
  altered('guessed and damaged ids', ({ csv }) => {
    const id = idIn(csv);
    return [
      ...times(40, () => randomBytes(24).toString('base64url')),
      id.slice(1),
      `${id}A`,
      id.toLowerCase(),
      '',
      '.',
      'A'.repeat(250),
      `${id}%00`,
      `${id}%2f`,
      `%2e%2e%2f${id}`,
    ].map((each) => csv.replace(id, each));
  }),
  altered('other formats and paths', ({ csv }) => [
    ...['xml', 'CSV', 'csv.gz', 'csv%00', 'exe', ''].map((each) =>
      csv.replace('.csv?', `.${each}?`),
    ),
    csv.replace('/results/', '/results/x/'),
    csv.replace('/results/', '/results/..%2fadmin%2f'),
    csv.replace('/results/', '/Results/'),
  ]),
  altered(
    'a repeated signature or end, and unknown parameters',
    ({ csv }) => [
      `${csv}&sig=${signatureIn(csv)}`,
      csv.replace('?', '?expires=1&'),
      `${csv}&tenant=victim`,
      csv.replace('sig=', 'sig[]='),
    ],
    '400',
  ),
];

const foreignFiles: readonly Attack[] = [
  {
    name: 'the file of another tenant, with a key of one’s own',
    bound: '404, as for an id that does not exist',
    run: async (arena) => {
      const { csv } = await linkOf(arena, {}, arena.victimKey);
      const ids = [idIn(csv), randomBytes(24).toString('base64url')];
      const answers = await Promise.all(ids.map((id) => arena.get(`/api/v1/results/${id}.csv`)));
      const isSame = answers[0]?.text === answers[1]?.text;
      const statuses = answers.map(({ status }) => status).join();
      return verdict(
        statuses === '404,404' && isSame,
        `${statuses}, ${isSame ? 'alike' : 'not alike'}`,
      );
    },
  },
  {
    name: 'the same question as another tenant',
    bound: 'another file: no tenant learns from an id what another has asked',
    run: async (arena) => {
      const [own, foreign] = [await linkOf(arena), await linkOf(arena, {}, arena.victimKey)];
      return verdict(idIn(own.csv) !== idIn(foreign.csv), 'compared the ids of one cached answer');
    },
  },
  {
    name: 'a key that may use one tool reads the file of another tool',
    bound: '404',
    run: async (arena) => {
      const { csv } = await linkOf(arena);
      const key = await newKey('attacker', arena.settings, ['--tools', 'arena_rows']);
      const { status } = await arena.get(`/api/v1/results/${idIn(csv)}.csv`, key);
      return verdict(status === 404, String(status));
    },
  },
  {
    name: 'a file is fetched 50 times, and asked for 20 times',
    bound: 'the same bytes, and one file is kept',
    run: async (arena) => {
      const link = await linkOf(arena, { n: 77 });
      const texts = await Promise.all(times(50, async () => (await fetch(link.ndjson)).text()));
      const again = await Promise.all(times(20, () => linkOf(arena, { n: 77 })));
      const ids = new Set([link, ...again].map(({ csv }) => idIn(csv)));
      const bodies = new Set(texts.filter((text) => !text.startsWith('{"error":"Too Many')));
      return verdict(ids.size === 1 && bodies.size === 1, `${ids.size} ids, ${bodies.size} texts`);
    },
  },
  {
    name: 'the signature of a file is looked for in what tenants can read',
    bound: 'no audit record has it',
    run: async (arena) => {
      const { csv } = await linkOf(arena, { n: 78 });
      await statusAt(csv);
      const { text } = await arena.get('/api/v1/audit?limit=50');
      const held = text.includes('arena_sheet') && !text.includes(signatureIn(csv));
      return verdict(held && !text.includes('sig='), `${text.length} characters of records`);
    },
  },
];

/** The cells of a CSV, without those of numbers. */
const cellsOf = (csv: string): string[] =>
  [...csv.matchAll(/(?:^|,|\r\n)(?:"((?:[^"]|"")*)"|([^",\r\n]*))/g)]
    .map(([, quoted, plain]) => quoted ?? plain ?? '')
    .filter((cell) => cell !== '' && !/^[+-]?[\d,.]+(?:e[+-]?\d+)?$/i.test(cell));

const hostileCells: readonly Attack[] = [
  {
    name: 'rows whose cells and columns are formulas of spreadsheets',
    bound: 'no cell of the CSV begins like a formula, and numbers are unchanged',
    run: async (arena) => {
      const response = await fetch((await linkOf(arena)).csv);
      const csv = Buffer.from(await response.arrayBuffer())
        .toString()
        .slice(1);
      const cells = cellsOf(csv);
      const formulas = cells.filter((cell) => /^[=+\-@\t\r\n＝＋－＠]/.test(cell));
      const held = cells.length > 20 && formulas.length === 0 && csv.includes(',-12.50');
      return verdict(held, `${cells.length} texts, ${formulas.length} of them formulas`);
    },
  },
  {
    name: 'rows with HTML and scripts',
    bound: 'a browser saves the file, and never shows it',
    run: async (arena) => {
      const link = await linkOf(arena);
      const headers = await Promise.all(
        [link.csv, link.ndjson, link.json].map(async (each) => (await fetch(each)).headers),
      );
      const held = headers.every(
        (each) =>
          each.get('content-disposition')?.startsWith('attachment; filename="arena_sheet-') &&
          each.get('x-content-type-options') === 'nosniff' &&
          each.get('cache-control') === 'private, no-store' &&
          !/html/.test(each.get('content-type') ?? 'html'),
      );
      return verdict(held, headers.map((each) => each.get('content-type')).join(' '));
    },
  },
];

export const fileAttacks: readonly Attack[] = [
  ...alteredAddresses,
  ...foreignFiles,
  ...hostileCells,
];

/** Runs an attack on a gateway of its own, which refuses no call for their number. */
async function withoutLimits(
  attack: (arena: Arena) => Promise<Verdict>,
  env: Readonly<Record<string, string>> = {},
): Promise<Verdict> {
  const arena = await openArena({ env: { RATE_LIMIT_PER_MINUTE: '0', ...env } });
  try {
    return await attack(arena);
  } finally {
    await arena.close();
  }
}

/** How the victim fares during an attack, compared with quiet seconds before it. */
async function besideVictim(arena: Arena, attack: () => Promise<unknown>) {
  await sleep(2000);
  await arena.victimTally();
  await sleep(4000);
  const quiet = await arena.victimTally();
  arena.peakRssBytes();
  await attack();
  const during = await arena.victimTally();
  await arena.rssBytes();
  return {
    quietMs: percentile(quiet.latenciesMs, 0.99),
    duringMs: percentile(during.latenciesMs, 0.99),
    failed: during.failures.length,
    calls: during.latenciesMs.length,
    peakMib: arena.peakRssBytes() / MIB,
  };
}

/** A call of another tenant may take so long while one floods the gateway with files. */
const MAX_VICTIM_MS = 250;
/** On a slow machine: as often as long as during the same calls without files. */
const MAX_RATIO = 2;
/** A machine that pauses by itself delays calls, too, but hardly in each of so many attempts. */
const ATTEMPTS = 3;

const memoryBound = `memory under ${MEMORY_BYTES / MIB} MB`;

/** Calls whose answers are to be files, 16 at a time, compared with the same calls without files. */
const flood = (name: string, count: number, questionAt: (n: number) => number): StorageAttack => ({
  name,
  bound: `others are answered within ${MAX_VICTIM_MS} ms (p99) or ${MAX_RATIO} times what they take without files, ${memoryBound}`,
  run: () =>
    withoutLimits(async (arena) => {
      const calls = (from: number, link: object) => async (): Promise<void> => {
        let n = 0;
        const worker = async (): Promise<void> => {
          while (n < count) {
            const question = { n: from + questionAt(n++), rows: MANY };
            await arena.call('arena_sheet', { ...question, ...link, _limit: 1 });
          }
        };
        await Promise.all(times(16, worker));
      };
      const without = await besideVictim(arena, calls(0, {}));
      const maxMs = Math.max(MAX_VICTIM_MS, MAX_RATIO * without.duringMs);
      let seen = await besideVictim(arena, calls(count, { _link: true }));
      for (let n = 2; n <= ATTEMPTS && seen.duringMs >= maxMs; n++) {
        seen = await besideVictim(arena, calls(n * count, { _link: true }));
      }
      const held =
        arena.isAlive() &&
        seen.calls > 0 &&
        seen.failed === 0 &&
        seen.duringMs < maxMs &&
        seen.peakMib < MEMORY_BYTES / MIB;
      const [quietMs, withoutMs, withMs] = [seen.quietMs, without.duringMs, seen.duringMs].map(
        Math.round,
      );
      return verdict(
        held,
        `p99 ${quietMs} ms quiet, ${withoutMs} ms without files, ${withMs} ms with, ${seen.failed} of ${seen.calls} failed, ${Math.round(seen.peakMib)} MB`,
      );
    }),
});

/** Files are made of this many rows in floods. */
const MANY = 5000;

export const fileStorageAttacks: readonly StorageAttack[] = [
  flood('300 different answers of 5,000 rows each are to be files', 300, (n) => n),
  flood('one answer of 5,000 rows is to be a file 1,000 times', 1000, () => 0),
  {
    name: '200 readers of large files read nothing',
    bound: `others are answered within ${MAX_VICTIM_MS} ms (p99), ${memoryBound}`,
    run: () =>
      withoutLimits(async (arena) => {
        const link = await linkOf(arena, { rows: 50_000 });
        const { pathname, search } = new URL(link.json);
        const seen = await besideVictim(arena, async () => {
          const sockets = createSockets(arena.port);
          for (let n = 0; n < 200; n++) sockets.open(rawRequest(`GET ${pathname}${search}`, {}));
          await sleep(5000);
          sockets.closeAll();
        });
        const { duringMs, failed, calls, peakMib } = seen;
        const held = failed === 0 && duringMs < MAX_VICTIM_MS && peakMib < MEMORY_BYTES / MIB;
        return verdict(
          held && calls > 0 && arena.isAlive(),
          `p99 ${Math.round(duringMs)} ms, ${failed} of ${calls} failed, ${Math.round(peakMib)} MB`,
        );
      }),
  },
  {
    name: '100 readers leave in the middle of a file',
    bound: 'the next reader gets the whole file',
    run: () =>
      withoutLimits(async (arena) => {
        const link = await linkOf(arena, { rows: 50_000 });
        for (let round = 0; round < 25; round++) {
          await Promise.all(
            times(4, async () => {
              const leaving = new AbortController();
              const response = await fetch(link.json, { signal: leaving.signal }).catch(() => null);
              await response?.body?.getReader().read();
              leaving.abort();
            }),
          );
          await sleep(50);
        }
        await sleep(1000);
        const rows = (await (await fetch(link.json)).json()) as readonly unknown[];
        return verdict(rows.length > 50_000, `${rows.length} rows`);
      }),
  },
  {
    name: 'one tenant fills the room for files five times',
    bound: 'the file of another tenant stays, and all files stay within their bound',
    run: () =>
      withoutLimits(
        async (arena) => {
          const kept = await linkOf(arena, { n: 5 }, arena.victimKey);
          for (let n = 0; n < 60; n++) await linkOf(arena, { n, rows: 20_000, noise: 1 });
          const status = await statusAt(kept.csv);
          const file = new DatabaseSync(join(arena.settings['DATA_DIR'] ?? '', 'gateway.db'));
          const [sum] = file.prepare('select sum(length(body)) as bytes from result_pieces').all();
          file.close();
          const bytes = Number(sum?.['bytes']);
          const held = status === 200 && bytes > 0 && bytes <= 4 * MIB;
          return verdict(held, `${status}, ${(bytes / MIB).toFixed(1)} MB kept`);
        },
        { RESULTS_MAX_BYTES: String(4 * MIB) },
      ),
  },
  {
    name: 'an address is used again after its file has expired',
    bound: '410, with a key and without',
    run: () =>
      withoutLimits(async (arena) => {
        const { csv } = await linkOf(arena);
        const before = await statusAt(csv);
        const file = new DatabaseSync(join(arena.settings['DATA_DIR'] ?? '', 'gateway.db'));
        file.exec('update results set expires_at_ms = 1');
        file.close();
        const signed = await statusAt(csv);
        const { status } = await arena.get(`/api/v1/results/${idIn(csv)}.csv`);
        const found = [before, signed, status].join();
        return verdict(found === '200,410,410', found);
      }),
  },
  {
    name: '900 guessed addresses without a key within a minute',
    bound: 'beyond 600, 429; a key still opens its file',
    run: () =>
      withoutLimits(async (arena) => {
        const { csv } = await linkOf(arena);
        const guesses = times(900, () =>
          csv.replace(idIn(csv), randomBytes(24).toString('base64url')),
        );
        const found = await statusesAt(guesses);
        const { status } = await arena.get(`/api/v1/results/${idIn(csv)}.csv`);
        return verdict(found === '404,429' && status === 200, `${found}; with a key ${status}`);
      }),
  },
];
