import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { describedMetrics } from '../scripts/described-metrics.ts';

const FOLDER = resolve(import.meta.dirname, '../docs/observability');
const read = (name: string): string => readFileSync(resolve(FOLDER, name), 'utf8');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string };
}

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly gridPos: Readonly<Record<'x' | 'y' | 'w' | 'h', number>>;
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const rules: Rule[] = parse(read('alerts.yaml')).groups.flatMap(
  ({ rules: own }: { rules: Rule[] }) => own,
);
const { panels, templating }: { panels: Panel[]; templating: object } = JSON.parse(
  read('dashboard.json'),
);

/** The labels of every series, by its name. Prometheus itself adds `job`, `instance` and the series `up`. */
const series = new Map<string, readonly string[]>([['up', []]]);
for (const { name, type, labels } of describedMetrics()) {
  if (type !== 'histogram') series.set(name, labels);
  else {
    for (const suffix of ['count', 'sum']) series.set(`${name}_${suffix}`, labels);
    series.set(`${name}_bucket`, [...labels, 'le']);
  }
}
const ADDED = ['job', 'instance'];

/** The issues of an expression: series and labels that do not exist, and brackets that do not match. */
function issuesOf(expr: string): string[] {
  const names = [...expr.matchAll(/\b(?:tool_gateway|nodejs|process)_\w+|\bup\b/g)].map(String);
  const unknown = names.filter((name) => !series.has(name));
  const labels = new Set([...ADDED, ...names.flatMap((name) => series.get(name) ?? [])]);
  const used = [
    ...[...expr.matchAll(/\{([^}]*)\}/g)].flatMap(([, inner = '']) =>
      [...inner.matchAll(/(\w+)\s*(?:=~|!=|!~|=)\s*"/g)].map(([, label = '']) => label),
    ),
    ...[...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, inner = '']) => inner.split(/,\s*/)),
  ];
  const count = (bracket: string): number => expr.split(bracket).length;
  const pairs = ['()', '{}', '[]'];
  return [
    ...(names.length === 0 ? ['no series'] : []),
    ...unknown.map((name) => `series ${name}`),
    ...used.filter((label) => !labels.has(label)).map((label) => `label ${label}`),
    ...pairs.filter(([open = '', close = '']) => count(open) !== count(close)),
  ];
}

/** Labels that a text for people names in braces. */
const shownLabels = (text: string): string[] =>
  [...text.matchAll(/\{\{\s*(?:\$labels\.)?(\w+)\s*\}\}/g)].map(([, label = '']) => label);

const keptLabels = (expr: string): string[] =>
  [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, inner = '']) => inner.split(/,\s*/));

describe('the alert rules', () => {
  test.each(rules)('name what exists: $alert', ({ expr, annotations }) => {
    expect(issuesOf(expr)).toEqual([]);
    expect(keptLabels(expr)).toEqual(expect.arrayContaining(shownLabels(annotations.summary)));
  });

  test('have different names, a duration, a severity and a summary', () => {
    expect(rules.length).toBeGreaterThan(10);
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const rule of rules) {
      expect(rule.for).toMatch(/^\d+m$/);
      expect(rule.labels.severity).toMatch(/^(?:critical|warning)$/);
      expect(rule.annotations.summary).toMatch(/\.$/);
    }
  });
});

describe('the dashboard', () => {
  test.each(panels)('names what exists: $title', ({ targets }) => {
    expect(targets.length).toBeGreaterThan(0);
    for (const { expr, legendFormat } of targets) {
      expect(issuesOf(expr)).toEqual([]);
      expect(keptLabels(expr)).toEqual(expect.arrayContaining(shownLabels(legendFormat)));
    }
  });

  test('has panels with different ids that do not overlap', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, at) => `${x + (at % w)} ${y + Math.floor(at / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
  });

  test('has the variables that its expressions use', () => {
    const names = JSON.stringify(templating);
    for (const name of ['datasource', 'job']) expect(names).toContain(`"name":"${name}"`);
  });
});

test('every metric of the gateway is in an alert or on the dashboard, or is a total of one that is', () => {
  const text = `${read('alerts.yaml')}${read('dashboard.json')}`;
  const left = describedMetrics().filter(
    ({ name }) => name.startsWith('tool_gateway_') && !text.includes(name),
  );
  expect(left.map(({ name }) => name)).toEqual([
    'tool_gateway_security_events_total',
    'tool_gateway_cache_entries',
    'tool_gateway_audit_dead_letters_dropped',
    'tool_gateway_audit_deleted_total',
  ]);
});

describe('the check above', () => {
  test.each([
    ['sum(rate(tool_gateway_call_total[5m]))', ['series tool_gateway_call_total']],
    ['tool_gateway_calls_total{tol="x"}', ['label tol']],
    ['sum by (le) (tool_gateway_calls_total)', ['label le']],
    ['sum(tool_gateway_calls_total', ['()']],
    ['tool_gateway_call_duration_seconds', ['series tool_gateway_call_duration_seconds']],
    ['1 > 0', ['no series']],
  ])('finds the issue of %s', (expr, faults) => {
    expect(issuesOf(expr)).toEqual(faults);
  });
});
