import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inNotation, type KnownColumns, readAggregation } from './aggregation.ts';

const COLUMNS = ['region', 'dealDate', 'dealAmount', 'gml:id'];
const KNOWN: KnownColumns = { names: COLUMNS, isPersonal: (name) => name === 'gml:id' };
const UNKNOWN: KnownColumns = { names: null, isPersonal: () => false };

const read = (args: Record<string, unknown>, known = KNOWN) =>
  readAggregation(inNotation(args), known);
const issuesOf = (args: Record<string, unknown>, known = KNOWN) =>
  read(args, known).issues.map(({ path, message }) => `${path} ${message}`);

describe('the notation', () => {
  it('names the columns of the result', () => {
    const { aggregation, sort, issues } = read({
      _group: ['region', 'month:dealDate'],
      _calc: ['median:dealAmount', 'count', 'count:dealAmount', 'first:region'],
      _sort: ['-median_dealAmount', 'region'],
    });
    expect(issues).toEqual([]);
    expect(
      [...(aggregation?.group ?? []), ...(aggregation?.calc ?? [])].map(({ name }) => name),
    ).toEqual([
      'region',
      'dealDate_month',
      'median_dealAmount',
      'count',
      'count_dealAmount',
      'first_region',
    ]);
    expect(sort).toEqual([
      { column: 'median_dealAmount', isDescending: true },
      { column: 'region', isDescending: false },
    ]);
  });

  it.each<[string, object]>([
    [
      'a text with commas',
      { _group: 'region, month:dealDate', _calc: 'count,median:dealAmount', _sort: '-count' },
    ],
    [
      'functions in parentheses',
      {
        _group: ['region', 'month(dealDate)'],
        _calc: ['count(*)', 'median(dealAmount)'],
        _sort: ['-count'],
      },
    ],
    [
      'objects',
      {
        _group: ['region', { month: 'dealDate' }],
        _calc: { count: true, median: 'dealAmount' },
        _sort: { count: 'desc' },
      },
    ],
    [
      'objects by column',
      {
        _group: ['region', { column: 'dealDate', unit: 'month' }],
        _calc: [{ count: '*' }, { dealAmount: 'median' }],
        _sort: [{ column: 'count', order: 'desc' }],
      },
    ],
    [
      'JSON in a text',
      {
        _group: '["region", "month:dealDate"]',
        _calc: '[{"count": "*"}, {"median": ["dealAmount"]}]',
        _sort: '{"count": -1}',
      },
    ],
  ])('is read from %s', (_form, args) => {
    const plain = {
      _group: ['region', 'month:dealDate'],
      _calc: ['count', 'median:dealAmount'],
      _sort: ['-count'],
    };
    expect(read({ ...args })).toEqual(read(plain));
    expect(read(plain).issues).toEqual([]);
  });

  it('counts groups without _calc, and makes one row without _group', () => {
    expect(read({ _group: ['region'] }).aggregation?.calc).toEqual([
      { function: 'count', column: null, name: 'count' },
    ]);
    expect(read({ _calc: ['count'] }).aggregation?.group).toEqual([]);
    expect(read({ _sort: ['region'] }).aggregation).toBeNull();
  });

  it('reads avg as mean, and a column to sort by as _calc and _group name it', () => {
    const args = {
      _group: ['year:dealDate'],
      _calc: ['avg:dealAmount'],
      _sort: ['-mean:dealAmount', 'year:dealDate'],
    };
    expect(read(args).sort.map(({ column }) => column)).toEqual([
      'mean_dealAmount',
      'dealDate_year',
    ]);
  });

  it('takes a name with a colon for a column unless it is close to a unit', () => {
    expect(read({ _group: ['osm:id'] }, UNKNOWN).aggregation?.group).toMatchObject([
      { column: 'osm:id', unit: null },
    ]);
    expect(issuesOf({ _group: ['mnth:date'] }, UNKNOWN)).toEqual([
      '/_group/0 names the unknown unit "mnth". Did you mean month?',
    ]);
  });
});

describe('bad aggregations', () => {
  it.each<[object, string[]]>([
    [{ _group: ['regoin'] }, ['/_group/0 names the unknown column "regoin". Did you mean region?']],
    [
      { _calc: ['medain:dealAmount'] },
      ['/_calc/0 names the unknown function "medain". Did you mean median?'],
    ],
    [
      { _calc: ['mode:dealAmount'] },
      [
        '/_calc/0 names the unknown function "mode". Known: count, sum, mean, median, min, max, first, last.',
      ],
    ],
    [
      { _calc: ['count', 'sum:price'] },
      [`/_calc/1 names the unknown column "price". Known: ${COLUMNS.join(', ')}.`],
    ],
    [{ _calc: ['sum'] }, ['/_calc/0 needs a column: sum:column.']],
    [
      { _group: ['week:dealDate'] },
      ['/_group/0 names the unknown unit "week". Known: year, month, day.'],
    ],
    [{ _group: [] }, ['/_group must be a list of at least one text.']],
    [{ _calc: ' , ' }, ['/_calc must be a list of at least one text.']],
    [{ _group: Array(6).fill('region') }, ['/_group has more than 5 elements.']],
    [{ _calc: Array(11).fill('count') }, ['/_calc has more than 10 elements.']],
    [
      { _group: ['region', 'region'] },
      ['/_calc makes the column region twice. Name each once in _group and _calc.'],
    ],
    [{ _sort: ['region', '-region'] }, ['/_sort names a column twice.']],
    [{ _sort: ['-'] }, ['/_sort/0 names no column.']],
    [
      { _group: ['region'], _sort: ['dealAmount'] },
      ['/_sort/0 names the unknown column "dealAmount". Known: region, count.'],
    ],
    [
      { _group: ['gml:id'] },
      ['/_group/0 may hold personal data, which is neither grouped nor calculated.'],
    ],
    [
      { _calc: ['first:gml:id'] },
      ['/_calc/0 may hold personal data, which is neither grouped nor calculated.'],
    ],
  ])('%j', (args, issues) => {
    expect(issuesOf({ ...args })).toEqual(issues);
  });

  it('never throw, whatever they are', () => {
    const any = fc.oneof(fc.jsonValue(), fc.string(), fc.array(fc.string()));
    fc.assert(
      fc.property(any, any, any, fc.constantFrom(KNOWN, UNKNOWN), (_group, _calc, _sort, known) => {
        const { aggregation, sort, issues } = read({ _group, _calc, _sort }, known);
        expect(sort.length).toBeLessThanOrEqual(5);
        if (issues.length > 0) return;
        expect(aggregation?.group.length).toBeGreaterThan(0);
        expect(aggregation?.calc.length).toBeGreaterThan(0);
      }),
    );
  });
});
