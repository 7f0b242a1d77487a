import { expect, it } from 'vitest';
import { csvRow } from './csv-row.ts';

it('quotes cells with separators, quotes and line breaks', () => {
  expect(csvRow(['a', 'b,c', 'd "e"', 'f\ng'])).toBe('a,"b,c","d ""e""","f\ng"\r\n');
});

it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1'])(
  'keeps %j from being a formula',
  (text) => {
    expect(csvRow([text])).toBe(`"'${text}"\r\n`);
  },
);
