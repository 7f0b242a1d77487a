import { expect, test } from 'vitest';
import { chartOf, chartQuestion, type SeriesData } from './audit-queries.ts';

const NOW = Date.parse('2026-11-29T00:00:00Z');
const from = '2026-11-28T00:00:00.000Z';

test.each([
  [{ from }, { from, by: 'none', top: 1 }],
  [
    { from, to: from },
    { from, to: from, by: 'none', top: 1 },
  ],
  [{}, { from: '2025-11-29T00:00:00.000Z', by: 'none', top: 1 }],
  [
    { from, key: 'key_1' },
    { from, by: 'key', top: 1, subject: 'key_1' },
  ],
  [
    { from, tool: 'a_tool' },
    { from, by: 'tool', top: 20 },
  ],
  [{ from, tool: 'a_tool', key: 'key_1' }, undefined],
  [{ from, status: 'ok' as const }, undefined],
  [{ from, client: 'curl' }, undefined],
])('the chart of %j asks statistics for %j', (filter, question) => {
  expect(chartQuestion(filter, NOW)).toEqual(question);
});

test('the chart has the line of what is filtered, and none for a tool without calls', () => {
  const groups = [
    { kind: 'all', subject: null, name: null },
    { kind: 'group', subject: 'p.s.a_tool', name: 'a_tool' },
    { kind: 'other', subject: null, name: null },
  ];
  const series = { step: 'minute', timesMs: [NOW], groups } as unknown as SeriesData;
  expect(chartOf(series, {})).toMatchObject({ kind: 'all', timesMs: [NOW] });
  expect(chartOf(series, { tool: 'a_tool' })).toMatchObject({ subject: 'p.s.a_tool' });
  expect(chartOf(series, { tool: 'another' })).toBeNull();
});
