import { expect, it } from 'vitest';
import { csvRow } from './csv-row.ts';

it('quotes cells with separators, quotes and line breaks', () => {
  expect(csvRow(['a', 'b,c', 'd "e"', 'f\ng'])).toBe('a,"b,c","d ""e""","f\ng"\r\n');
});

it.each(['=1+1', '+1+1', '-2+3', '+82-10-1234-5678', '-', '@SUM(A1)', '\t=1', '\r=1'])(
  'keeps %j from being a formula',
  (text) => {
    expect(csvRow([text])).toBe(`"'${text}"\r\n`);
  },
);

it.each(['-12.5', '+3', '-1e-7', '-0', '+1.50'])('leaves the number %s alone', (text) => {
  expect(csvRow([text])).toBe(`${text}\r\n`);
});

it('quotes a number with separators of thousands', () => {
  expect(csvRow(['-1,234.5'])).toBe('"-1,234.5"\r\n');
});
