import { isObject } from '../../src/platform/kernel/plain-json.ts';
import type { PayloadShape } from '../../src/tools/model.ts';
import { isXml, type SandboxResponse } from '../sandbox-response.ts';
import type { Page } from './question.ts';

/** A row of an answer: a value for each column. */
export type Row = Readonly<Record<string, unknown>>;

/** The new value of a member or an element outside the rows; undefined if it does not change. */
type Envelope = (name: string) => unknown;

/** The rows of a sample. */
export const rowsOf = (sample: SandboxResponse, shape: PayloadShape): Row[] =>
  (isXml(sample) ? rowsOfXml : rowsOfJson)(sample.body, shape);

/** The sample with other rows, and with the members of an envelope. */
export const writePage = (
  sample: SandboxResponse,
  shape: PayloadShape,
  page: Page,
  envelope: Envelope,
): SandboxResponse => ({
  ...sample,
  body: (isXml(sample) ? writeXmlPage : writeJsonPage)(sample.body, shape, page, envelope),
});

const valueAt = (root: unknown, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduce((node, key) => (node as Row | undefined)?.[key], root);

/** The array of rows in a body: some upstreams leave out or add an envelope. */
function rowsIn(root: unknown, items: string): unknown[] {
  const inner = items.replace(/^\/response(?=\/)/, '');
  const places = [items, inner, `${items}/item`, `${inner}/item`];
  const found = places.map((place) => valueAt(root, place)).find(Array.isArray);
  return found ?? [];
}

function rowsOfJson(body: string, { items, itemWrapper }: PayloadShape): Row[] {
  const rows = rowsIn(JSON.parse(body), items ?? '') as Row[];
  return itemWrapper === null ? rows : rows.map((row) => row[itemWrapper] as Row);
}

function writeJsonPage(
  body: string,
  { items, itemWrapper }: PayloadShape,
  page: Page,
  envelope: Envelope,
): string {
  const root = JSON.parse(body);
  const place = rowsIn(root, items ?? '');
  const rows = itemWrapper === null ? page.rows : page.rows.map((row) => ({ [itemWrapper]: row }));
  place.length = 0;
  withMembers(root, envelope);
  place.push(...rows);
  return JSON.stringify(root);
}

/** The same object, whose members at any depth have the values of the envelope, in their own types. */
function withMembers(node: unknown, envelope: Envelope): unknown {
  for (const [name, old] of isObject(node) || Array.isArray(node) ? Object.entries(node) : []) {
    const value = typeof old === 'object' ? undefined : envelope(name);
    if (value === undefined) withMembers(old, envelope);
    else Object.assign(node as object, { [name]: typeof old === 'string' ? String(value) : value });
  }
  return node;
}

/** An element without child elements; its text may be in a CDATA section. */
const LEAF = /<(\w+)>(<!\[CDATA\[[\s\S]*?\]\]>|[^<]*)<\/\1>/g;

/** A row with the white space before it. */
const rowPattern = (items: string | null): RegExp => {
  const element = items?.split('/').at(-1);
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

/** A column for each element that has only text. */
const rowsOfXml = (body: string, { items }: PayloadShape): Row[] =>
  (body.match(rowPattern(items)) ?? []).map((row) =>
    Object.fromEntries(
      [...row.matchAll(LEAF)].map(([, name, text = '']) => [name, readText(text)]),
    ),
  );

/** The text with new values in its elements; a CDATA section remains one. */
const withValues = (xml: string, newValue: Envelope): string =>
  xml.replace(LEAF, (leaf, name: string, text: string) => {
    const value = newValue(name);
    if (value === undefined) return leaf;
    return text.startsWith('<!')
      ? `<${name}><![CDATA[${String(value).replaceAll(']]>', '')}]]></${name}>`
      : `<${name}>${writeText(value)}</${name}>`;
  });

/** Row n has the form of a row of the sample, in turn. */
function writeXmlPage(
  body: string,
  { items }: PayloadShape,
  page: Page,
  envelope: Envelope,
): string {
  const pattern = rowPattern(items);
  const forms = body.match(pattern) ?? [''];
  const rows = page.rows.map((row, index) =>
    withValues(forms[(page.from + index) % forms.length] ?? '', (name) => row[name]),
  );
  const [head = '', ...tail] = body.split(pattern);
  return withValues(head, envelope) + rows.join('') + withValues(tail.join(''), envelope);
}
