import { setTimeout as sleep } from 'node:timers/promises';
import { type Arena, MEMORY_BYTES, MIB, type VictimTally } from './arena.ts';
import type { Attack } from './attack.ts';
import { percentile, type Row } from './report.ts';

/** How long the victim is measured before the attacks start. */
const QUIET_MS = 20_000;
const MAX_P99_RATIO = 3;
/** How long an attack may run before it is started again. */
const RUN_MS = 60_000;
/** Pause between two runs of an attack, as attackers, upstreams and victim share two processors with the gateway. */
const REST_MS = 5000;
/** How often the siege reports its progress. */
const WATCH_MS = 30_000;
/** Growth of memory over the last third of the siege that still counts as flat. */
const FLAT_BYTES = 32 * MIB;

/**
 * Runs all attacks at once, repeatedly. The harmless tenant must hardly notice, the process must survive, its memory
 * must level off, and every answered call must have exactly one record.
 */
export async function besiege(
  arena: Arena,
  attacks: readonly Attack[],
  durationMs: number,
): Promise<Row[]> {
  await arena.victimTally();
  await sleep(QUIET_MS);
  const quiet = await arena.victimTally();
  const siege = { latenciesMs: [] as number[], auditIds: [] as string[], failures: [] as string[] };
  const memory: number[] = [];
  const sampler = setInterval(async () => memory.push(await arena.rssBytes()), 1000);
  const startedMs = performance.now();
  const isOngoing = (): boolean => performance.now() < startedMs + durationMs && arena.isAlive();
  const runs = new Map(attacks.map(({ name }) => [name, 0]));
  const loops = attacks.map(async (attack) => {
    while (isOngoing()) {
      await Promise.race([attack.run(arena).catch(() => undefined), sleep(RUN_MS)]);
      runs.set(attack.name, (runs.get(attack.name) ?? 0) + 1);
      await sleep(REST_MS);
    }
  });
  const done = Promise.all(loops);
  const watch = async (): Promise<void> => {
    const tally = await arena.victimTally();
    siege.latenciesMs.push(...tally.latenciesMs);
    siege.auditIds.push(...tally.auditIds);
    siege.failures.push(...tally.failures);
    const minutes = ((performance.now() - startedMs) / 60_000).toFixed(1);
    const memoryText = `${Math.round((memory.at(-1) ?? 0) / MIB)} MB`;
    console.log(
      `minute ${minutes}: p99 ${percentile(tally.latenciesMs, 0.99).toFixed(1)} ms, ${tally.failures.length} failed, ${memoryText}`,
    );
  };
  while (isOngoing()) {
    await Promise.race([done, sleep(WATCH_MS)]);
    await watch();
  }
  await done;
  await watch();
  await sleep(5000);
  clearInterval(sampler);
  for (const [name, count] of runs) console.log(`${String(count).padStart(6)} x ${name}`);
  const restBytes = await arena.rssBytes();
  return [
    victimRow(quiet, siege),
    memoryRow(memory, restBytes),
    {
      attack: 'the same',
      bound: 'the process survives',
      held: arena.isAlive(),
      text: arena.isAlive() ? 'it did' : `it ended: ${arena.gateway.stderr().slice(-4000)}`,
    },
    await recordsRow(arena, [...quiet.auditIds, ...siege.auditIds]),
  ];
}

function victimRow(quiet: VictimTally, siege: VictimTally): Row {
  const [before, during] = [quiet, siege].map(({ latenciesMs }) => percentile(latenciesMs, 0.99));
  const ratio = (during ?? 0) / (before ?? 1);
  return {
    attack: 'all attacks at once',
    bound: `the victim’s p99 at most ${MAX_P99_RATIO} x quiet, none of its calls fails`,
    held: ratio <= MAX_P99_RATIO && siege.failures.length === 0 && siege.latenciesMs.length > 0,
    text: `p99 ${before?.toFixed(1)} ms quiet, ${during?.toFixed(1)} ms (${ratio.toFixed(1)} x), p50 ${percentile(quiet.latenciesMs, 0.5).toFixed(1)} and ${percentile(siege.latenciesMs, 0.5).toFixed(1)} ms, ${siege.latenciesMs.length} calls, ${siege.failures.length} failed${siege.failures[0] ? ` (${siege.failures[0]})` : ''}`,
  };
}

function memoryRow(memory: readonly number[], restBytes: number): Row {
  const third = Math.floor(memory.length / 3);
  const mean = (values: readonly number[]) =>
    values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
  const growth = mean(memory.slice(-third)) - mean(memory.slice(third, 2 * third));
  const peak = Math.max(...memory);
  const mib = (bytes: number): string => `${Math.round(bytes / MIB)} MB`;
  return {
    attack: 'the same',
    bound: `memory under ${mib(MEMORY_BYTES)} and flat at the end`,
    held: peak < MEMORY_BYTES && growth < FLAT_BYTES,
    text: `at most ${mib(peak)}, last third ${growth < 0 ? '' : '+'}${mib(growth)}, ${mib(restBytes)} after`,
  };
}

/** Checks that every answered call of the victim has exactly one record. */
async function recordsRow(arena: Arena, auditIds: readonly string[]): Promise<Row> {
  const row = { attack: 'the same', bound: 'no record is lost or duplicated' };
  if (!arena.isAlive()) return { ...row, held: false, text: 'the gateway has ended' };
  const counts = new Map<string, number>();
  let cursor = '';
  do {
    const { text } = await arena.get(`/api/v1/audit?limit=500${cursor}`, arena.victimKey);
    const page = JSON.parse(text);
    for (const { auditId } of page.records) counts.set(auditId, (counts.get(auditId) ?? 0) + 1);
    cursor = page.nextCursor ? `&cursor=${page.nextCursor}` : '';
  } while (cursor);
  const lost = auditIds.filter((id) => !counts.has(id)).length;
  const duplicates = [...counts.values()].filter((count) => count > 1).length;
  return {
    ...row,
    held: lost === 0 && duplicates === 0,
    text: `${lost} lost and ${duplicates} duplicated of ${auditIds.length}`,
  };
}
