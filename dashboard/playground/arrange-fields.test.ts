import { describe, expect, test } from 'vitest';
import { arrangeFields } from './arrange-fields.ts';
import { readFields } from './read-fields.ts';

const TYPES: Readonly<Record<string, object>> = {
  lat: { type: 'number' },
  lon: { type: 'number' },
  pageNo: { type: 'integer' },
  numOfRows: { type: 'integer' },
  start: { type: 'integer' },
  _fields: { type: 'array', items: { type: 'string' } },
  _limit: { type: 'integer' },
  _where: { type: 'object' },
};

/** The arguments that are shown, and those that are folded. */
function arrange(names: readonly string[], required: readonly string[] = []): [string, string] {
  const properties = Object.fromEntries(
    names.map((name) => [name, TYPES[name] ?? { type: 'string' }]),
  );
  const { fields, shown } = arrangeFields(readFields({ properties, required }));
  const arranged = fields.map(({ name }) => name);
  return [arranged.slice(0, shown).join(' '), arranged.slice(shown).join(' ')];
}

const OWN = ['_fields', '_limit', '_where'];

describe('arrangeFields', () => {
  test('shows a place first, and folds what the gateway fills in', () => {
    const forecast = ['base_date', 'base_time', 'nx', 'ny', 'numOfRows', 'pageNo', 'lat', 'lon'];
    expect(arrange([...forecast, ...OWN])).toEqual([
      'lat lon',
      'base_date base_time nx ny numOfRows pageNo _fields _limit _where',
    ]);
  });

  test('shows the required arguments before a place and names, and others after them', () => {
    const names = ['_fields', 'from', 'stationName', 'lat', 'lon', 'code'];
    expect(arrange(names, ['code'])).toEqual(['code lat lon stationName from', '_fields']);
  });

  test('folds arguments that choose pages and formats, in that order', () => {
    const names = ['lang', 'sort', 'per_page', 'curPage', 'start', 'base', 'quotes'];
    expect(arrange(names)).toEqual(['base quotes', 'per_page curPage start lang sort']);
  });

  test('never folds what is required, whatever its name is', () => {
    expect(arrange(['pageNo', '_limit'], ['pageNo', '_limit'])).toEqual(['pageNo _limit', '']);
  });

  test('shows a start and an end that are times', () => {
    expect(arrange(['end', 'start'])).toEqual(['end', 'start']);
  });

  test('folds all but the first six of many optional arguments', () => {
    expect(arrange(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'corpNm'])).toEqual([
      'corpNm a b c d e',
      'f g',
    ]);
  });

  test('shows all required arguments, however many', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    expect(arrange(['h', ...names], names)).toEqual(['a b c d e f g', 'h']);
  });

  test('has nothing to show without arguments', () => {
    expect(arrange([])).toEqual(['', '']);
  });
});
