import { setPriority } from 'node:os';
import { parseArgs } from 'node:util';
import { type Arena, MEMORY_BYTES, MIB, openArena } from './arena.ts';
import type { Attack, StorageAttack, Verdict } from './attack.ts';
import { accessAttacks, limitAttacks } from './attacks/access.ts';
import { argumentAttacks } from './attacks/arguments.ts';
import { fairnessAttacks } from './attacks/fairness.ts';
import { fileAttacks, fileStorageAttacks } from './attacks/files.ts';
import { memoryAttacks } from './attacks/memory.ts';
import { rangeAttacks } from './attacks/ranges.ts';
import { registrationAttacks } from './attacks/registration.ts';
import { secretAttacks } from './attacks/secrets.ts';
import { storageAttacks } from './attacks/storage.ts';
import { printRow, printTable, type Row } from './report.ts';
import { besiege } from './siege.ts';

/** Attacks a gateway in every way that docs/security.md describes, and reports which bounds held. */
const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    /** Some of the groups, separated by commas. */
    groups: { type: 'string' },
    /** All but these. */
    'without-groups': { type: 'string' },
    'siege-only': { type: 'boolean', default: false },
    'siege-minutes': { type: 'string', default: '30' },
  },
});

/** Attacks on one gateway, one after another, and in the siege. */
const GROUPS = {
  access: accessAttacks,
  secrets: secretAttacks,
  arguments: argumentAttacks,
  fairness: fairnessAttacks,
  memory: memoryAttacks,
  registration: registrationAttacks,
  files: fileAttacks,
  ranges: rangeAttacks,
};
/** Those that start their own gateways. */
const OWN_GROUPS = { limits: limitAttacks, storage: storageAttacks, downloads: fileStorageAttacks };
const NAMES = [...Object.keys(GROUPS), ...Object.keys(OWN_GROUPS)];

/** Throws for a name that is no group: nothing would be attacked, and everything would hold. */
function groupsIn(option: string | undefined): readonly string[] | undefined {
  const names = option?.split(',');
  const unknown = names?.filter((name) => !NAMES.includes(name)) ?? [];
  if (unknown.length === 0) return names;
  throw new Error(`No group of attacks: ${unknown.join(', ')}. Groups: ${NAMES.join(', ')}.`);
}
const chosen = groupsIn(options.groups) ?? NAMES;
const left = groupsIn(options['without-groups']) ?? [];
const inChosen = <A>(groups: Readonly<Record<string, readonly A[]>>): A[] =>
  Object.entries(groups).flatMap(([name, group]) =>
    chosen.includes(name) && !left.includes(name) ? group : [],
  );
const attacks = inChosen<Attack>(GROUPS);
const storage = options['siege-only'] ? [] : inChosen<StorageAttack>(OWN_GROUPS);
const isChosen = ({ name }: { name: string }): boolean =>
  options.only === undefined || name.includes(options.only);
const rows: Row[] = [];

/**
 * Attackers must not win merely by starving the gateway, the upstream and the victim on the same machine of CPU time.
 * These inherit the higher priority that this thread has while it starts them.
 */
async function openArenaFirst(): Promise<Arena> {
  try {
    setPriority(0);
  } catch {
    // Only root may raise the priority again for a second arena.
  }
  const arena = await openArena();
  setPriority(10);
  return arena;
}

async function attempt(
  { name, bound }: { name: string; bound: string },
  run: () => Promise<Verdict>,
): Promise<void> {
  const result = await run().catch(
    (error: unknown): Verdict => ({ held: false, text: String(error) }),
  );
  const row = { attack: name, bound, ...result };
  rows.push(row);
  printRow(row);
}

async function attackOneByOne(): Promise<void> {
  let arena: Arena = await openArenaFirst();
  for (const attack of attacks.filter(isChosen)) {
    await attempt(attack, () => attack.run(arena));
    if (arena.isAlive()) continue;
    await arena.close();
    arena = await openArenaFirst();
  }
  await arena.close();
}

async function attackAtOnce(durationMs: number): Promise<void> {
  const arena = await openArenaFirst();
  try {
    for (const row of await besiege(arena, attacks.filter(isChosen), durationMs)) {
      rows.push(row);
      printRow(row);
    }
  } finally {
    await arena.close();
  }
}

console.log(`Gateway limited to ${MEMORY_BYTES / MIB} MB, two tenants.\n`);
if (!options['siege-only'] && attacks.length > 0) await attackOneByOne();
for (const attack of storage.filter(isChosen)) await attempt(attack, attack.run);
const siegeMinutes = Number(options['siege-minutes']);
if (siegeMinutes > 0) await attackAtOnce(siegeMinutes * 60_000);
printTable(rows);
process.exitCode = rows.length > 0 && rows.every(({ held }) => held) ? 0 : 1;
process.exit();
