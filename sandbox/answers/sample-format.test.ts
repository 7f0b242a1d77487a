import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { PayloadShape } from '../../src/tools/model.ts';
import { rowsOf, writePage } from './sample-format.ts';

const SAMPLE = {
  status: 200,
  contentType: 'text/xml',
  body: '<r><total>1</total><items><item><name><![CDATA[one]]></name><code>1</code></item></items><pageNo>1</pageNo></r>',
};
const SHAPE = { items: '/r/items/item', total: '/r/total' } as PayloadShape;
const PAGE = { number: 2, size: 2, from: 2, total: 9 };
const COUNTS = new Map([
  ['total', 9],
  ['pageNo', 2],
]);

it('a page has its rows, its number and the total, in the form of the sample', () => {
  const rows = [
    { name: 'two & three', code: '2 & 3' },
    { name: 'four', code: 4 },
  ];
  const { body } = writePage(SAMPLE, SHAPE, { ...PAGE, rows }, (name) => COUNTS.get(name));
  expect(body).toBe(
    '<r><total>9</total><items><item><name><![CDATA[two & three]]></name><code>2 &amp; 3</code></item>' +
      '<item><name><![CDATA[four]]></name><code>4</code></item></items><pageNo>2</pageNo></r>',
  );
});

it('a row is read as it was written', () => {
  const text = fc.string().filter((value) => !value.includes(']]>'));
  fc.assert(
    fc.property(text, text, (name, code) => {
      const written = writePage(
        SAMPLE,
        SHAPE,
        { ...PAGE, rows: [{ name, code }] },
        () => undefined,
      );
      expect(rowsOf(written, SHAPE)).toEqual([{ name, code }]);
    }),
  );
});
