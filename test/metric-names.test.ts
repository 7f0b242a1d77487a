import { expect, test } from 'vitest';
import { type DescribedMetric, describedMetrics } from '../scripts/described-metrics.ts';

/** Parts of names that are units, or abbreviations of units, other than the base units of Prometheus. */
const OTHER_UNITS =
  /_(?:ms|milliseconds?|micros|microseconds?|ns|nanoseconds?|minutes?|hours?|days?|kb|kilobytes?|mb|megabytes?|mib|kib|bits?|percent)(?:_|$)/;

/** What `promtool check metrics` reports of a metric. */
function issuesOf({ name, type, help, labels }: DescribedMetric): string[] {
  const rules: readonly (readonly [isBroken: boolean, issue: string])[] = [
    [!/^[a-z][a-z\d_]*$/.test(name), 'has other characters than small letters, digits and _'],
    [help.trim() === '', 'has no help'],
    [
      (type === 'counter') !== name.endsWith('_total'),
      'must end in _total if, and only if, it counts',
    ],
    [/_(?:count|sum|bucket|info_total)$/.test(name), 'ends like a part of a histogram'],
    [/_(?:counter|gauge|histogram|summary)(?:_|$)/.test(name), 'contains its type'],
    [OTHER_UNITS.test(name), 'has another unit than a base unit'],
    [/(?:seconds|bytes)_(?!total$)/.test(name), 'does not end with its unit'],
    [labels.some((label) => ['le', 'quantile'].includes(label)), 'has a reserved label'],
    [labels.some((label) => !/^[a-z][a-z\d_]*$/.test(label)), 'has a label in another case'],
  ];
  return rules.flatMap(([isBroken, issue]) => (isBroken ? [`${name} ${issue}`] : []));
}

test('every metric of the gateway is named as `promtool check metrics` wants it', () => {
  // Those of Node.js have the names that prom-client gives them.
  const metrics = describedMetrics().filter(({ name }) => name.startsWith('tool_gateway_'));
  expect(metrics.length).toBeGreaterThan(30);
  expect(metrics.flatMap(issuesOf)).toEqual([]);
});

test.each<[string, Partial<DescribedMetric>]>([
  ['a counter without _total', { type: 'counter' }],
  ['a gauge with _total', { name: 'a_total' }],
  ['a colon', { name: 'a:b' }],
  ['a part of a histogram', { name: 'a_sum' }],
  ['milliseconds', { name: 'a_ms' }],
  ['a unit in the middle', { name: 'a_seconds_left' }],
  ['a missing help', { help: ' ' }],
  ['a reserved label', { labels: ['le'] }],
])('a name is refused for %s', (_, broken) => {
  expect(issuesOf({ name: 'a', type: 'gauge', help: 'A.', labels: [], ...broken })).toHaveLength(1);
});
