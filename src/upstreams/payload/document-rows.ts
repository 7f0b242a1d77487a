import { type JsonDocument, type Place, ROOT } from '../../platform/kernel/json-document.ts';
import { parsePointer } from '../../platform/kernel/json-pointer.ts';
import type { RowPlace, RowSearch } from '../../tools/model.ts';
import {
  type Around,
  type Elements,
  findRows,
  MAX_MEMBERS,
  type Tree,
} from '../../tools/rows/find-rows.ts';
import {
  nextMembers,
  type PageMember,
  pageMembers,
  totalMembers,
} from '../../tools/rows/page-members.ts';
import { COUNTS, LASTS, MORES } from '../../tools/rows/row-names.ts';

/** What a response says about the pages of its rows. */
export interface PageFacts {
  /** Address of the next page, as the upstream wrote it. */
  readonly address?: string;
  /** A cursor, or the number of the next page or of its first row, with the name of its member. */
  readonly cursor?: { readonly name: string; readonly value: string | number };
  readonly isLast?: boolean;
  readonly hasMore?: boolean;
  /** The number of this page, the number of all pages, and the rows of a full page. */
  readonly page?: number;
  readonly pages?: number;
  readonly size?: number;
  /** `id` of the last row. */
  readonly lastId?: string | number;
}

/** The rows that were found in a response of a registered API. */
export interface DocumentRows {
  readonly found: RowPlace;
  readonly rows: number;
  readonly total?: number;
  readonly pages?: PageFacts;
}

/** Elements that are read: a list of rows does not change its kind later. */
const READ_ELEMENTS = 100;

/**
 * Finds the rows of a good response (docs/rows.md); undefined if it has none, or if several lists could be them. `nextAt`: a
 * pointer to what leads to the next page, if that is known.
 */
export function rowsOfDocument(
  document: JsonDocument,
  search: RowSearch,
  nextAt?: string,
): DocumentRows | undefined {
  const tree = documentTree(document);
  const { expected } = search;
  const known = expected && expected !== 'none' ? atPlace(document, tree, expected) : null;
  const found = known ?? findRows(tree, ROOT, search);
  if (found === 'none' || found === 'unknown') return undefined;
  const { items, itemWrapper, evidence, list, around } = found;
  const rows = document.count(list);
  const members = pageMembers(tree, around);
  const total = totalIn(document, members, rows);
  const next = nextMembers(members)[0]?.pointer ?? null;
  const pages = {
    ...pagesIn(document, nextAt === undefined ? members : onlyNext(document, members, nextAt)),
    ...lastIdIn(document, list),
  };
  return {
    found: { items, itemWrapper, total: total?.pointer ?? null, next, evidence },
    rows,
    ...(total === undefined ? {} : { total: total.value }),
    ...(Object.keys(pages).length === 0 ? {} : { pages }),
  };
}

/** The rows where the description has them, if the response has a list there. */
function atPlace(document: JsonDocument, tree: Tree<Place>, place: RowPlace) {
  const around: Around<Place>[] = [];
  let node: Place | undefined = ROOT;
  let pointer = '';
  for (const token of parsePointer(place.items)) {
    if (node === undefined || document.kind(node) !== 'object') return null;
    around.unshift({ node, pointer });
    pointer = `${pointer}/${token}`;
    node = document.child(node, token);
  }
  if (node === undefined || document.kind(node) !== 'array') return null;
  const { itemWrapper } = place;
  const fits = itemWrapper === null || tree.allHave(node, itemWrapper);
  return tree.elements(node) === 'mixed' || !fits ? null : { ...place, list: node, around };
}

function documentTree(document: JsonDocument): Tree<Place> {
  const kind = (place: Place): 'object' | 'list' | 'scalar' => {
    const of = document.kind(place);
    return of === 'object' ? 'object' : of === 'array' ? 'list' : 'scalar';
  };
  const first = (list: Place): readonly Place[] => document.children(list).slice(0, READ_ELEMENTS);
  return {
    kind,
    members: (place) =>
      document.count(place) > MAX_MEMBERS
        ? []
        : document.children(place).map((member) => [document.key(member), member]),
    elements: (list) => {
      const kinds = new Set(first(list).map(kind));
      const [only, second] = kinds;
      if (only === undefined) return 'none';
      return second === undefined ? (`${only}s` as Elements) : 'mixed';
    },
    allHave: (list, member) =>
      first(list).every((element) => {
        const row = kind(element) === 'object' ? document.child(element, member) : undefined;
        return row !== undefined && kind(row) === 'object';
      }),
  };
}

type Members = readonly PageMember<Place>[];

/** A total is at least the rows that came; `count` says nothing if it is exactly those. */
function totalIn(document: JsonDocument, members: Members, rows: number) {
  for (const { plain, node, pointer } of totalMembers(members)) {
    const inner = document.kind(node) === 'object' ? document.child(node, 'value') : node;
    const value = wholeNumber(document.scalar(inner));
    if (value === undefined || value < rows) continue;
    if (!COUNTS.has(plain) || value > rows) return { value, pointer };
  }
  return undefined;
}

function wholeNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(number) && Number(number) >= 0 ? Number(number) : undefined;
}

const IS_ADDRESS = /^(https?:\/\/|\/|\?)/i;
/** Longest cursor or address: a part of a longer one leads nowhere. */
const MAX_NEXT_LENGTH = 2000;

const PAGE = ['page', 'currentpage', 'pagenumber', 'pageno', 'number', 'pageindex', 'pagenum'];
const PAGES =
  'totalpages pagecount pagestotal lastpage pages numpages totalpage maxpage pagescount'.split(' ');
const SIZES = 'perpage pagesize itemsperpage limit size resultsperpage'.split(' ');

function pagesIn(document: JsonDocument, members: Members): PageFacts {
  const next = nextIn(document, members);
  const flag = (names: ReadonlySet<string>): unknown =>
    scalarsOf(document, members, (plain) => names.has(plain)).find(
      (value) => typeof value === 'boolean',
    );
  const number = (names: readonly string[]): number | undefined =>
    scalarsOf(document, members, (plain) => names.includes(plain))
      .map(wholeNumber)
      .find((value) => value !== undefined);
  const [more, last] = [flag(MORES), flag(LASTS)];
  const said = more ?? (last === undefined ? undefined : !last);
  const isLast = said === false || (next.isSilent && said !== true);
  const facts = {
    address: next.address,
    cursor: next.cursor,
    isLast: isLast || undefined,
    hasMore: said === true || undefined,
    page: number(PAGE),
    pages: number(PAGES),
    size: number(SIZES),
  };
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}

/** The members with the one that leads on in place of the others that could. */
function onlyNext(document: JsonDocument, members: Members, pointer: string): Members {
  const path = parsePointer(pointer);
  const node = document.find(path);
  const others = members.filter((each) => !nextMembers([each]).includes(each));
  return node === undefined
    ? others
    : [...others, { name: path.at(-1) ?? '', plain: 'next', node, pointer }];
}

const scalarsOf = (
  document: JsonDocument,
  members: Members,
  isWanted: (plain: string) => boolean,
): unknown[] =>
  members.filter(({ plain }) => isWanted(plain)).map(({ node }) => document.scalar(node));

/** A number under these names is the request's own. */
const ECHOES = ['offset', 'marker'];
const isDigits = (value: unknown): boolean => /^\d+$/.test(String(value));

/** What leads to the next page; `isSilent`: a member for that is there, and empty. */
function nextIn(document: JsonDocument, members: Members) {
  const values = nextMembers(members)
    .map(({ name, plain, node }) => ({ name, plain, value: nextValue(document, node) }))
    .filter(({ plain, value }) => !(ECHOES.includes(plain) && isDigits(value)));
  const isUsable = (value: unknown): value is string | number =>
    typeof value === 'number' ||
    (typeof value === 'string' && value !== '' && value.length <= MAX_NEXT_LENGTH);
  const usable = values.flatMap(({ name, value }) => (isUsable(value) ? { name, value } : []));
  const address = usable.find(({ value }) => IS_ADDRESS.test(String(value)));
  const cursor = usable.find((each) => each !== address && !IS_ADDRESS.test(String(each.value)));
  const link = address ? String(address.value) : linkIn(document, members);
  const isSilent =
    usable.length === 0 && values.some(({ value }) => value === null || value === '');
  return { address: link, cursor, isSilent };
}

/** The value itself, or the address in an object such as `{"href": …}`; undefined for any other container. */
function nextValue(document: JsonDocument, node: Place): unknown {
  if (document.kind(node) !== 'object') return document.scalar(node);
  const inner = ['href', 'url', 'uri', 'link', 'cursor']
    .map((name) => document.child(node, name))
    .find((place) => place !== undefined);
  return document.scalar(inner);
}

/** The address of `links`, if that is a list of `{"rel": "next", "href": …}`. */
function linkIn(document: JsonDocument, members: Members): string | undefined {
  const lists = members.filter(
    ({ plain, node }) => /^links?$/.test(plain) && document.kind(node) === 'array',
  );
  const links = lists.flatMap(({ node }) => document.children(node).slice(0, READ_ELEMENTS));
  for (const link of links.filter((each) => document.kind(each) === 'object')) {
    const read = (name: string): unknown => document.scalar(document.child(link, name));
    const target = read('href') ?? read('url') ?? read('uri');
    if ([read('rel'), read('relation')].includes('next') && typeof target === 'string')
      return target;
  }
  return undefined;
}

function lastIdIn(document: JsonDocument, list: Place): Pick<PageFacts, 'lastId'> {
  const last = document.child(list, String(document.count(list) - 1));
  if (last === undefined || document.kind(last) !== 'object') return {};
  const id = document.scalar(document.child(last, 'id'));
  return typeof id === 'string' || typeof id === 'number' ? { lastId: id } : {};
}
