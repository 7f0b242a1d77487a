import { isObject } from '../../src/platform/kernel/plain-json.ts';
import type { PayloadShape } from '../../src/tools/model.ts';
import { isXml, type SandboxResponse } from '../sandbox-response.ts';
import type { Row } from './answer-rule.ts';
import type { Page } from './question.ts';

/** The rows of a sample. */
export const rowsOf = (sample: SandboxResponse, shape: PayloadShape): Row[] =>
  (isXml(sample) ? rowsOfXml : rowsOfJson)(sample, shape);

/** The sample with the rows, the total and the page of an answer, and the members of `envelope`. */
export const writePage = (
  sample: SandboxResponse,
  shape: PayloadShape,
  page: Page,
  envelope: Row,
): SandboxResponse => ({
  ...sample,
  body: (isXml(sample) ? writeXmlPage : writeJsonPage)(sample.body, shape, page, envelope),
});

/** A response without rows with the total and the page of an answer, where it has such members. */
export const writeTotal = (
  response: SandboxResponse,
  total: string | null,
  page: Page,
): SandboxResponse => ({
  ...response,
  body: isXml(response)
    ? withValues(response.body, valuesOf(total, page, {}))
    : withMembers(JSON.parse(response.body), total, page, {}),
});

const lastKey = (pointer: string): string => pointer.slice(pointer.lastIndexOf('/') + 1);
const parentOf = (pointer: string): string => pointer.slice(0, pointer.lastIndexOf('/'));

/** The places in a body that may hold what a pointer names: some upstreams leave out or add an envelope. */
const placesOf = (pointer: string): string[] => {
  const inner = pointer.replace(/^\/response(?=\/)/, '');
  return [pointer, inner, `${pointer}/item`, `${inner}/item`];
};

const valueAt = (root: unknown, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduce((node, key) => (node as Row | undefined)?.[key], root);

/** Sets an existing member; one that the body does not have stays away. */
function replaceAt(root: unknown, pointer: string, value: unknown): void {
  const parent = valueAt(root, parentOf(pointer));
  const key = lastKey(pointer);
  if (isObject(parent) && Object.hasOwn(parent, key)) {
    Object.assign(parent, { [key]: typeof parent[key] === 'string' ? String(value) : value });
  }
}

const rowsPlace = (root: unknown, items: string): string =>
  placesOf(items).find((place) => Array.isArray(valueAt(root, place))) ?? items;

function rowsOfJson(sample: SandboxResponse, { items, itemWrapper }: PayloadShape): Row[] {
  if (items === null) return [];
  const root = JSON.parse(sample.body);
  const rows = valueAt(root, rowsPlace(root, items));
  if (!Array.isArray(rows)) return [];
  return itemWrapper === null ? rows : rows.map((row) => row[itemWrapper]);
}

function writeJsonPage(
  body: string,
  { items, itemWrapper, total }: PayloadShape,
  page: Page,
  envelope: Row,
): string {
  const root = JSON.parse(body);
  const place = rowsPlace(root, items ?? '');
  const rows = itemWrapper === null ? page.rows : page.rows.map((row) => ({ [itemWrapper]: row }));
  if (place === '') return JSON.stringify(rows);
  const parent = valueAt(root, parentOf(place));
  Object.assign(parent as object, { [lastKey(place)]: rows });
  return withMembers(root, total, page, envelope);
}

/** The JSON of a body whose members say what an answer says, where it has such members. */
function withMembers(root: unknown, total: string | null, page: Page, envelope: Row): string {
  for (const [pointer, value] of Object.entries(envelope)) replaceAt(root, pointer, value);
  if (total === null) return JSON.stringify(root);
  const members = [
    [total, page.total],
    [`${parentOf(total)}/${page.names[0]}`, page.number],
    [`${parentOf(total)}/${page.names[1]}`, page.size],
  ] as const;
  for (const [pointer, value] of members) {
    for (const place of new Set(placesOf(pointer).slice(0, 2))) replaceAt(root, place, value);
  }
  return JSON.stringify(root);
}

/** An element without child elements; its text may be in a CDATA section. */
const LEAF = /<(\w+)>(<!\[CDATA\[[\s\S]*?\]\]>|[^<]*)<\/\1>/g;

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

/** A column for each element that has only text. */
const rowsOfXml = (sample: SandboxResponse, { items }: PayloadShape): Row[] =>
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

/** Row n has the form of a row of the sample, in turn. */
function writeXmlPage(
  body: string,
  { items, total }: PayloadShape,
  page: Page,
  envelope: Row,
): string {
  const pattern = rowPattern(items ?? '');
  const forms = body.match(pattern) ?? [''];
  const rows = page.rows.map((row, index) =>
    withValues(forms[(page.from + index) % forms.length] ?? '', row),
  );
  const values = valuesOf(total, page, envelope);
  const [head = '', ...tail] = body.split(pattern);
  return withValues(head, values) + rows.join('') + withValues(tail.join(''), values);
}

function valuesOf(total: string | null, page: Page, envelope: Row): Row {
  const [numberName, sizeName] = page.names;
  return {
    ...Object.fromEntries(Object.entries(envelope).map(([key, value]) => [lastKey(key), value])),
    ...(total === null ? {} : { [lastKey(total)]: page.total }),
    ...(numberName === undefined ? {} : { [numberName]: page.number }),
    ...(sizeName === undefined ? {} : { [sizeName]: page.size }),
  };
}
