import { setTimeout as sleep } from 'node:timers/promises';
import { type Arena, MEMORY_BYTES, MIB, type VictimTally } from './arena.ts';
import type { Attack } from './attack.ts';
import { percentile, type Row } from './report.ts';

/** How long the victim is watched before anybody attacks. */
const QUIET_MS = 20_000;
const MAX_P99_RATIO = 3;
/** Growth of memory over the last third of the siege that still counts as flat. */
const FLAT_BYTES = 32 * MIB;

/**
 * All attacks at once, over and over: the harmless tenant must hardly notice, the process must live, its memory must
 * level off, and every answered call must have exactly one record.
 */
export async function besiege(
  arena: Arena,
  attacks: readonly Attack[],
  durationMs: number,
): Promise<Row[]> {
  await arena.victimTally();
  await sleep(QUIET_MS);
  const quiet = await arena.victimTally();
  const endMs = performance.now() + durationMs;
  const memory: number[] = [];
  const sampler = setInterval(async () => memory.push(await arena.rssBytes()), 1000);
  let runs = 0;
  const lines = attacks.map(async (attack) => {
    while (performance.now() < endMs && arena.isAlive()) {
      await attack.run(arena).catch(() => undefined);
      runs++;
    }
  });
  await Promise.all(lines);
  const siege = await arena.victimTally();
  await sleep(5000);
  clearInterval(sampler);
  const restBytes = await arena.rssBytes();
  return [
    victimRow(quiet, siege, runs),
    memoryRow(memory, restBytes),
    {
      attack: 'the same',
      bound: 'the process lives',
      held: arena.isAlive(),
      text: arena.isAlive() ? 'it does' : 'it ended',
    },
    await recordsRow(arena, [...quiet.auditIds, ...siege.auditIds]),
  ];
}

function victimRow(quiet: VictimTally, siege: VictimTally, runs: number): Row {
  const [before, during] = [quiet, siege].map(({ latenciesMs }) => percentile(latenciesMs, 0.99));
  const ratio = (during ?? 0) / (before ?? 1);
  return {
    attack: `all attacks at once, ${runs} runs of them`,
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

/** Looks up every answered call of the victim: exactly one record each. */
async function recordsRow(arena: Arena, auditIds: readonly string[]): Promise<Row> {
  const seen = new Map<string, number>();
  let cursor = '';
  do {
    const { text } = await arena.get(`/api/v1/audit?limit=500${cursor}`, arena.victimKey);
    const page = JSON.parse(text);
    for (const { auditId } of page.records) seen.set(auditId, (seen.get(auditId) ?? 0) + 1);
    cursor = page.nextCursor ? `&cursor=${page.nextCursor}` : '';
  } while (cursor);
  const lost = auditIds.filter((id) => !seen.has(id)).length;
  const doubled = [...seen.values()].filter((count) => count > 1).length;
  return {
    attack: 'the same',
    bound: 'no record lost or doubled',
    held: lost === 0 && doubled === 0,
    text: `${lost} lost and ${doubled} doubled of ${auditIds.length}`,
  };
}
