import type { Kysely } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeRecord } from '../../test/support/audit-records.ts';
import { describeStores, openTestDatabase, type TestPlace } from '../../test/support/databases.ts';
import { openAuditFile } from '../audit/record/audit-file.ts';
import { toRow } from '../audit/record/audit-row.ts';
import type { Tables } from '../platform/database/tables.ts';
import { cellOf } from './cells.ts';
import { type Additions, addCell, MAX_SUBJECTS, OTHER, prepareUpserts } from './statistics-rows.ts';
import { STEPS, type Step } from './steps.ts';

const NOON_MS = Date.UTC(2026, 10, 21, 3);

describeStores('rows of statistics', (backend) => {
  let place: TestPlace;
  let db: Kysely<Tables>;
  let close: () => Promise<void>;

  beforeEach(async () => {
    place = await backend.makePlace();
    ({ db, close } =
      backend.name === 'postgres'
        ? await openTestDatabase(place)
        : await openAuditFile({ dataDir: place.dataDir, fsync: false }));
  });
  afterEach(async () => {
    await close();
    await place.remove();
  });

  const toolIds = (count: number, from = 0) =>
    Array.from({ length: count }, (_, n) => `tool-${from + n}`);
  /** Adds one call of each tool. */
  const addCalls = async (ids: readonly string[]): Promise<void> => {
    const additions: Additions = new Map();
    for (const toolId of ids) {
      const cell = cellOf(toRow(makeRecord({ toolId }, NOON_MS)));
      for (const step of STEPS) addCell(additions, cell, step);
    }
    for (const upsert of await prepareUpserts(db, additions)) await db.executeQuery(upsert);
  };
  const toolsOf = (step: Step) =>
    db
      .selectFrom('statistics')
      .select(['subject', 'calls', 'latencies'])
      .where('step', '=', step)
      .where('scope', '=', 'ten_a')
      .where('kind', '=', 'tool')
      .execute();
  const callsOf = async (step: Step, toolId: string) =>
    (await toolsOf(step)).find(({ subject }) => subject === toolId)?.calls;

  it('have the calls of too many subjects in one of them, and none is lost', async () => {
    await addCalls(toolIds(150));
    const minutes = await toolsOf('minute');
    expect(minutes).toHaveLength(MAX_SUBJECTS.minute + 1);
    expect(await callsOf('minute', OTHER)).toBe(50);
    expect(minutes.reduce((sum, { calls }) => sum + calls, 0)).toBe(150);
  });

  it('have the calls of a tool of the same name there, too', async () => {
    await addCalls([...toolIds(110), OTHER, 'tool-200']);
    expect(await callsOf('minute', OTHER)).toBe(12);
  });

  it('count towards the bound once they are stored, and are still added to', async () => {
    await addCalls(toolIds(90));
    await addCalls(toolIds(40, 80));
    expect(await callsOf('minute', 'tool-85')).toBe(2);
    expect(await callsOf('minute', OTHER)).toBe(20);
    expect(await toolsOf('minute')).toHaveLength(101);
    await addCalls(toolIds(40, 80));
    expect(await callsOf('minute', 'tool-85')).toBe(3);
    expect(await callsOf('minute', OTHER)).toBe(40);
    const rows = await toolsOf('minute');
    // One bucket of latencies: its distance, and the number of calls.
    for (const { calls, latencies } of rows) expect([...latencies].slice(1)).toEqual([calls]);
  });

  it('are at most 500 subjects in an hour and 2,000 in a day', async () => {
    await addCalls(toolIds(2100));
    const others = await Promise.all(STEPS.map((step) => callsOf(step, OTHER)));
    expect(others).toEqual([2000, 1600, 100]);
  });
});
