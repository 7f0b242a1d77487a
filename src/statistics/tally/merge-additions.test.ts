import { expect, it } from 'vitest';
import { makeRecord } from '../../../test/support/audit-records.ts';
import { toRow } from '../../audit/record/audit-row.ts';
import type { StatisticsTable } from '../../platform/database/tables.ts';
import { countRecords, nameOf } from './count-records.ts';
import { MAX_SUBJECTS, mergeAdditions, OTHER } from './merge-additions.ts';
import { STEPS } from './steps.ts';

const NOON_MS = Date.UTC(2026, 10, 21, 3);
const NOTHING = { row: () => undefined, countLike: () => 0 };

const storedIn = (rows: readonly StatisticsTable[]) => {
  const byName = new Map(rows.map((row) => [nameOf(row), row]));
  const groupOf = (row: StatisticsTable) => nameOf({ ...row, subject: '' });
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(groupOf(row), (counts.get(groupOf(row)) ?? 0) + 1);
  return {
    row: (key: Parameters<typeof nameOf>[0]) => byName.get(nameOf(key)),
    countLike: (key: Parameters<typeof nameOf>[0]) =>
      counts.get(nameOf({ ...key, subject: '' })) ?? 0,
  };
};

/** One call of each of so many tools. */
const callsOf = (tools: number, from = 0) =>
  countRecords(
    Array.from({ length: tools }, (_, n) =>
      toRow(makeRecord({ toolId: `tool-${from + n}` }, NOON_MS)),
    ),
    0,
    STEPS,
  );

const minutesOf = (rows: readonly StatisticsTable[]) =>
  rows.filter(({ step, scope, kind }) => step === 'minute' && scope === 'ten_a' && kind === 'tool');

it('adds the calls of too many subjects to one row, and none is lost', () => {
  const rows = mergeAdditions(callsOf(150), NOTHING);
  const minutes = minutesOf(rows);
  expect(minutes).toHaveLength(MAX_SUBJECTS.minute + 1);
  expect(minutes.find(({ subject }) => subject === OTHER)?.calls).toBe(50);
  expect(minutes.reduce((sum, { calls }) => sum + calls, 0)).toBe(150);
});

it('counts the subjects that are stored already, and still adds to them', () => {
  const first = mergeAdditions(callsOf(90), NOTHING);
  const rows = minutesOf(mergeAdditions(callsOf(40, 80), storedIn(first)));
  expect(rows.find(({ subject }) => subject === 'tool-85')?.calls).toBe(2);
  expect(rows.find(({ subject }) => subject === OTHER)?.calls).toBe(20);
  expect(rows).toHaveLength(21);
});

it('bounds hours at 500 and days at 2,000 subjects', () => {
  const rows = mergeAdditions(callsOf(2100), NOTHING);
  const other = (step: string) =>
    rows.find((row) => row.step === step && row.scope === 'ten_a' && row.subject === OTHER)?.calls;
  expect([other('minute'), other('hour'), other('day')]).toEqual([2000, 1600, 100]);
});
