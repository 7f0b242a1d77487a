import type { PayloadShape } from '../../tools/model.ts';
import type { SandboxResponse } from '../sandbox-response.ts';
import type { Page } from './page.ts';
import type { Row } from './rows.ts';

/** An element without child elements; its text may be in a CDATA section. */
const LEAF = /<(\w+)>(<!\[CDATA\[[\s\S]*?\]\]>|[^<]*)<\/\1>/g;

const lastKey = (pointer: string): string => pointer.slice(pointer.lastIndexOf('/') + 1);

/** A row with the white space before it. */
const rowPattern = (items: string): RegExp => {
  const element = lastKey(items);
  return new RegExp(`\\s*<${element}>[\\s\\S]*?</${element}>`, 'g');
};

const readText = (text: string): string =>
  text
    .replace(/^<!\[CDATA\[([\s\S]*)\]\]>$/, '$1')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

const writeText = (value: unknown): string =>
  String(value ?? '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');

/** The rows of an XML sample: a column for each element that has only text. */
export const rowsOfXml = (sample: SandboxResponse, { items }: PayloadShape): Row[] =>
  (sample.body.match(rowPattern(items ?? '')) ?? []).map((row) =>
    Object.fromEntries(
      [...row.matchAll(LEAF)].map(([, name, text = '']) => [name, readText(text)]),
    ),
  );

/** The text with new values in its elements; a CDATA section remains one. */
const withValues = (xml: string, values: Row): string =>
  xml.replace(LEAF, (leaf, name: string, text: string) => {
    if (!Object.hasOwn(values, name)) return leaf;
    const value = values[name];
    return text.startsWith('<!')
      ? `<${name}><![CDATA[${String(value).replaceAll(']]>', '')}]]></${name}>`
      : `<${name}>${writeText(value)}</${name}>`;
  });

/** The XML sample with the rows, the total and the page of an answer. Row n has the form of a row of the sample, in turn. */
export function writeXmlPage(
  sample: SandboxResponse,
  { items, total }: PayloadShape,
  page: Page,
  envelope: Row,
): SandboxResponse {
  const pattern = rowPattern(items ?? '');
  const forms = sample.body.match(pattern) ?? [''];
  const rows = page.rows.map((row, index) =>
    withValues(forms[(page.from + index) % forms.length] ?? '', row),
  );
  const values = valuesOf(total, page, envelope);
  const [head = '', ...tail] = sample.body.split(pattern);
  const body = withValues(head, values) + rows.join('') + withValues(tail.join(''), values);
  return { ...sample, body };
}

/** The XML body with the total and the page of an answer, where it has such elements. */
export const writeXmlTotal = (
  response: SandboxResponse,
  total: string | null,
  page: Page,
): SandboxResponse => ({ ...response, body: withValues(response.body, valuesOf(total, page, {})) });

function valuesOf(total: string | null, page: Page, envelope: Row): Row {
  const [numberName, sizeName] = page.names;
  return {
    ...Object.fromEntries(Object.entries(envelope).map(([key, value]) => [lastKey(key), value])),
    ...(total === null ? {} : { [lastKey(total)]: page.total }),
    ...(numberName === undefined ? {} : { [numberName]: page.number }),
    ...(sizeName === undefined ? {} : { [sizeName]: page.size }),
  };
}
