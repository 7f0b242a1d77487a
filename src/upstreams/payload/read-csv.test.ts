import { expect, it } from 'vitest';
import { readCsv } from './read-csv.ts';

const read = (text: string): unknown => readCsv(Buffer.from(text), 'text/csv')?.toString();

it('leaves a text whose rows would repeat a long head until it is many times as large', () => {
  const head = `${'x'.repeat(20_000)},b\n`;
  expect(read(`${head}1,2\n`)).toContain('"b":"2"');
  expect(read(head + '1,2\n'.repeat(20_000))).toBeUndefined();
  expect(read(`name,b\n${',\n'.repeat(20_000)}`)).toContain('"b":""');
});
