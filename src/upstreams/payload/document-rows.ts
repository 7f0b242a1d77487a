import { type JsonDocument, type Place, ROOT } from '../../platform/kernel/json-document.ts';
import { parsePointer } from '../../platform/kernel/json-pointer.ts';
import { memoizeEach } from '../../platform/kernel/memo.ts';
import type { PagingArguments, RowPlace, RowSearch } from '../../tools/model.ts';
import {
  type Around,
  type Elements,
  type FoundRows,
  MAX_MEMBERS,
  searchRows,
  type Tree,
} from '../../tools/rows/search-rows.ts';
import { type PageFacts, readPage } from './page-facts.ts';

/** The rows that were found in a response of a registered API. */
export interface DocumentRows {
  readonly found: RowPlace;
  readonly rows: number;
  readonly total?: number;
  readonly pages?: PageFacts;
}

/** Elements that are read: a list of rows does not change its kind later. */
const READ_ELEMENTS = 100;

/** Where the last response of a tool had its rows: most have them there again. */
const lastPlaces = new WeakMap<RowSearch, RowPlace>();

/** Finds the rows of a good response (docs/rows.md); undefined if it has none, or if several lists could be them. */
export function rowsOfDocument(
  document: JsonDocument,
  search: RowSearch,
  paging?: PagingArguments | null,
): DocumentRows | undefined {
  const learned = lastPlaces.get(search);
  const place = learned ?? search.expected;
  const there = place && place !== 'none' ? atPlace(document, place) : null;
  // What another response had there says nothing of one whose rows may be in another list.
  const isDoubtful = there !== null && learned !== undefined && document.count(there.list) === 0;
  const own = there && !isDoubtful ? null : searchRows(documentTree(document), ROOT, search);
  const known =
    own === null || typeof own === 'string' || own.items === there?.items ? there : null;
  const found = known ?? own ?? 'none';
  if (found === 'none' || found === 'unknown') return undefined;
  const rows = document.count(found.list);
  const { total, next, pages } = readPage(document, found.around, { rows, nextAt: paging?.at });
  if (paging?.lastId !== undefined) addLastId(document, found.list, pages);
  const { items, itemWrapper, evidence } = found;
  const read = { items, itemWrapper, total: total?.pointer ?? null, next, evidence };
  if (!known) lastPlaces.set(search, read);
  const result = {
    found: known && place !== 'none' && place ? shared(place, read) : read,
    rows,
    pages,
  };
  return total === undefined ? result : { ...result, total: total.value };
}

/** The same object for equal places: the cache keeps one for each response. */
const shared = (place: RowPlace, read: RowPlace): RowPlace =>
  place.total === read.total && place.next === read.next ? place : read;

const pathOf = memoizeEach(({ items }: RowPlace) => parsePointer(items));

/** The rows at a known place, if the response has a list of one kind there. */
function atPlace(document: JsonDocument, place: RowPlace): FoundRows<Place> | null {
  const around: Around<Place>[] = [];
  let node: Place | undefined = ROOT;
  let pointer = '';
  for (const token of pathOf(place)) {
    if (node === undefined || document.kind(node) !== 'object') return null;
    around.unshift({ node, pointer });
    pointer = `${pointer}/${token}`;
    node = document.child(node, token);
  }
  if (node === undefined || document.kind(node) !== 'array') return null;
  const isOfOneKind = elementsOf(document, node) !== 'mixed';
  const fits = place.itemWrapper === null || allHave(document, node, place.itemWrapper);
  return isOfOneKind && fits ? { ...place, list: node, around } : null;
}

const kindOf = (document: JsonDocument, place: Place): 'object' | 'list' | 'scalar' => {
  const kind = document.kind(place);
  return kind === 'object' ? 'object' : kind === 'array' ? 'list' : 'scalar';
};

function elementsOf(document: JsonDocument, list: Place): Elements {
  let first: 'object' | 'list' | 'scalar' | undefined;
  for (const element of document.firstChildren(list, READ_ELEMENTS)) {
    const kind = kindOf(document, element);
    first ??= kind;
    if (kind !== first) return 'mixed';
  }
  return first === undefined ? 'none' : `${first}s`;
}

const allHave = (document: JsonDocument, list: Place, member: string): boolean =>
  document.firstChildren(list, READ_ELEMENTS).every((element) => {
    const isObject = document.kind(element) === 'object';
    const row = isObject ? document.child(element, member) : undefined;
    return row !== undefined && document.kind(row) === 'object';
  });

const documentTree = (document: JsonDocument): Tree<Place> => ({
  kind: (place) => kindOf(document, place),
  members: (place) =>
    document.count(place) > MAX_MEMBERS
      ? []
      : document.children(place).map((member) => [document.key(member), member]),
  elements: (list) => elementsOf(document, list),
  allHave: (list, member) => allHave(document, list, member),
});

function addLastId(document: JsonDocument, list: Place, pages: PageFacts): void {
  const last = document.child(list, String(document.count(list) - 1));
  if (last === undefined || document.kind(last) !== 'object') return;
  const id = document.scalar(document.child(last, 'id'));
  if (typeof id === 'string' || typeof id === 'number') pages.lastId = id;
}
