import { isObject } from '../../platform/kernel/plain-json.ts';
import type { PayloadShape } from '../../tools/model.ts';
import type { SandboxResponse } from '../sandbox-response.ts';
import type { Page } from './page.ts';
import type { Row } from './rows.ts';

/** The places in a body that may hold what a pointer names: some upstreams leave out or add an envelope. */
const placesOf = (pointer: string): string[] => {
  const inner = pointer.replace(/^\/response(?=\/)/, '');
  return [pointer, inner, `${pointer}/item`, `${inner}/item`];
};

const keysOf = (pointer: string): string[] => pointer.split('/').slice(1);

const valueAt = (root: unknown, pointer: string): unknown =>
  keysOf(pointer).reduce((node, key) => (node as Row | undefined)?.[key], root);

/** Sets an existing member; one that the body does not have stays away. */
function replaceAt(root: unknown, pointer: string, value: unknown): void {
  const keys = keysOf(pointer);
  const last = keys.pop() ?? '';
  const parent = keys.reduce<unknown>((node, key) => (node as Row | undefined)?.[key], root);
  if (isObject(parent) && Object.hasOwn(parent, last)) {
    const old = parent[last];
    Object.assign(parent, { [last]: typeof old === 'string' ? String(value) : value });
  }
}

const rowsPlace = (root: unknown, items: string): string =>
  placesOf(items).find((place) => Array.isArray(valueAt(root, place))) ?? items;

/** The rows of a JSON sample. */
export function rowsOfJson(sample: SandboxResponse, { items, itemWrapper }: PayloadShape): Row[] {
  if (items === null) return [];
  const root = JSON.parse(sample.body);
  const rows = valueAt(root, rowsPlace(root, items));
  if (!Array.isArray(rows)) return [];
  return itemWrapper === null ? rows : rows.map((row) => row[itemWrapper]);
}

/** The JSON sample with the rows, the total and the page of an answer. */
export function writeJsonPage(
  sample: SandboxResponse,
  { items, itemWrapper, total }: PayloadShape,
  page: Page,
  envelope: Row,
): SandboxResponse {
  const root = JSON.parse(sample.body);
  const place = rowsPlace(root, items ?? '');
  const rows = itemWrapper === null ? page.rows : page.rows.map((row) => ({ [itemWrapper]: row }));
  if (place === '') return { ...sample, body: JSON.stringify(rows) };
  const parent = valueAt(root, place.slice(0, place.lastIndexOf('/')));
  Object.assign(parent as object, { [place.slice(place.lastIndexOf('/') + 1)]: rows });
  replaceMembers(root, total, page, envelope);
  return { ...sample, body: JSON.stringify(root) };
}

/** The JSON body with the total and the page of an answer, where it has such members. */
export function writeJsonTotal(
  response: SandboxResponse,
  total: string | null,
  page: Page,
): SandboxResponse {
  const root = JSON.parse(response.body);
  replaceMembers(root, total, page, {});
  return { ...response, body: JSON.stringify(root) };
}

function replaceMembers(root: unknown, total: string | null, page: Page, envelope: Row): void {
  for (const [pointer, value] of Object.entries(envelope)) replaceAt(root, pointer, value);
  if (total === null) return;
  const beside = total.slice(0, total.lastIndexOf('/'));
  const members = [
    [total, page.total],
    [`${beside}/${page.names[0]}`, page.number],
    [`${beside}/${page.names[1]}`, page.size],
  ] as const;
  for (const [pointer, value] of members) {
    for (const place of new Set(placesOf(pointer).slice(0, 2))) replaceAt(root, place, value);
  }
}
