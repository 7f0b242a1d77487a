import type { JsonDocument, Place } from '../../platform/kernel/json-document.ts';
import { parsePointer, pointerTo } from '../../platform/kernel/json-pointer.ts';
import { MAX_INNER } from '../../tools/rows/page-members.ts';
import { type PageRole, pageRoleOf } from '../../tools/rows/row-names.ts';
import { type Around, MAX_MEMBERS } from '../../tools/rows/search-rows.ts';

/** What a response says about the pages of its rows. */
export interface PageFacts {
  /** Address of the next page, as the upstream wrote it. */
  address?: string;
  /** A cursor, or the number of the next page or of its first row, with the name of its member. */
  cursor?: { readonly name: string; readonly value: string | number };
  isLast?: boolean;
  hasMore?: boolean;
  /** The number of this page, the number of all pages, and the rows of a full page. */
  page?: number;
  pages?: number;
  size?: number;
  /** `id` of the last row. */
  lastId?: string | number;
}

/** A number of rows in all, and where it is. */
interface Total {
  readonly value: number;
  readonly pointer: string;
}

/** What is read of the members around the rows. */
export interface ReadPage {
  readonly total: Total | undefined;
  /** Where what leads to the next page is; null without it. */
  readonly next: string | null;
  readonly pages: PageFacts;
}

const IS_ADDRESS = /^(https?:\/\/|\/|\?)/i;
const DIGITS = /^\d{1,15}$/;
/** Longest cursor or address: a part of a longer one leads nowhere. */
const MAX_NEXT_LENGTH = 2000;
/** Links of a list that are read. */
const MAX_LINKS = 100;

/**
 * Reads what a response says of its pages: beside the rows, then in the objects there that describe the page; the innermost
 * object around the rows goes first. `nextAt`: a pointer to what leads to the next page, if that is known.
 */
export function readPage(
  document: JsonDocument,
  around: readonly Around<Place>[],
  { rows, nextAt }: { readonly rows: number; readonly nextAt: string | undefined },
): ReadPage {
  const reader = new PageReader(document, rows, nextAt === undefined);
  if (nextAt !== undefined) reader.next(nextAt, document.find(parsePointer(nextAt)));
  for (const each of around) reader.visit(each, 0);
  return reader.result();
}

/** One object for a response: its members are read once. */
class PageReader {
  readonly #document: JsonDocument;
  readonly #rows: number;
  readonly #seeksNext: boolean;
  readonly #pages: PageFacts = {};
  #total: Total | undefined;
  #count: Total | undefined;
  #next: string | null = null;
  #isSilent = false;
  #more: boolean | undefined;
  #last: boolean | undefined;

  constructor(document: JsonDocument, rows: number, seeksNext: boolean) {
    this.#document = document;
    this.#rows = rows;
    this.#seeksNext = seeksNext;
  }

  visit({ node, pointer }: Around<Place>, depth: number): void {
    const document = this.#document;
    if (document.count(node) > MAX_MEMBERS) return;
    const inner: Around<Place>[] = [];
    for (const member of document.children(node)) {
      const name = document.key(member);
      const role = pageRoleOf(name);
      if (role === 'none') continue;
      const at = pointerTo(pointer, name);
      if (document.isContainer(member)) this.#readContainer(role, member, at, inner);
      else this.#readScalar(role, document.value(member), at, name);
    }
    if (depth < MAX_INNER) for (const each of inner) this.visit(each, depth + 1);
  }

  #readScalar(role: PageRole, value: unknown, pointer: string, name: string): void {
    if (role.isTotal || role.isCount) this.#readTotal(role, wholeNumber(value), pointer);
    if (role.isMore && typeof value === 'boolean') this.#more ??= value;
    if (role.isLast && typeof value === 'boolean') this.#last ??= value;
    const number = wholeNumber(value);
    const pages = this.#pages;
    if (role.isPage && number !== undefined) pages.page ??= number;
    if (role.isPageCount && number !== undefined) pages.pages ??= number;
    if (role.isPageSize && number !== undefined) pages.size ??= number;
    if (role.isNext && this.#seeksNext) this.#readNext(value, pointer, name, role.isEcho);
  }

  #readContainer(role: PageRole, member: Place, pointer: string, inner: Around<Place>[]): void {
    const document = this.#document;
    if (document.kind(member) === 'array') {
      if (role.isLinks && this.#seeksNext)
        this.#readNext(linkIn(document, member), pointer, 'next', false);
      return;
    }
    if (role.describesPage) inner.push({ node: member, pointer });
    if (role.isTotal || role.isCount)
      this.#readTotal(role, wholeNumber(document.scalar(document.child(member, 'value'))), pointer);
    if (role.isNext && this.#seeksNext) this.next(pointer, member);
  }

  /** A total is at least the rows that came; `count` says nothing if it is exactly those. */
  #readTotal({ isTotal }: PageRole, value: number | undefined, pointer: string): void {
    if (value === undefined || value < this.#rows) return;
    if (isTotal) this.#total ??= { value, pointer };
    else if (value > this.#rows) this.#count ??= { value, pointer };
  }

  /** Reads what leads to the next page: a value, or an object such as `{"href": …}`. */
  next(pointer: string, place: Place | undefined): void {
    const document = this.#document;
    const name = parsePointer(pointer).at(-1) ?? '';
    if (place === undefined || document.kind(place) === 'array') return;
    if (document.kind(place) !== 'object') {
      this.#readNext(document.value(place), pointer, name, false);
      return;
    }
    const inner = ['href', 'url', 'uri', 'link', 'cursor'].find(
      (each) => document.child(place, each) !== undefined,
    );
    if (inner !== undefined)
      this.#readNext(document.scalar(document.child(place, inner)), pointer, name, false);
  }

  #readNext(value: unknown, pointer: string, name: string, isEcho: boolean): void {
    const text = String(value ?? '');
    if (value === undefined || (isEcho && DIGITS.test(text))) return;
    this.#next ??= pointer;
    const isText = typeof value === 'string' || typeof value === 'number';
    if (value === null || value === '') this.#isSilent = true;
    if (!isText || text === '' || text.length > MAX_NEXT_LENGTH) return;
    if (IS_ADDRESS.test(text)) this.#pages.address ??= text;
    else this.#pages.cursor ??= { name, value };
  }

  result(): ReadPage {
    const pages = this.#pages;
    const said = this.#more ?? (this.#last === undefined ? undefined : !this.#last);
    if (said === true) pages.hasMore = true;
    const isEnd = this.#isSilent && said !== true && !pages.address && !pages.cursor;
    if (said === false || isEnd) pages.isLast = true;
    return { total: this.#total ?? this.#count, next: this.#next, pages };
  }
}

function wholeNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && DIGITS.test(value) ? Number(value) : value;
  return Number.isSafeInteger(number) && Number(number) >= 0 ? Number(number) : undefined;
}

/** The address of a list of `{"rel": "next", "href": …}`. */
function linkIn(document: JsonDocument, list: Place): unknown {
  for (const link of document.children(list).slice(0, MAX_LINKS)) {
    if (document.kind(link) !== 'object') continue;
    const read = (name: string): unknown => document.scalar(document.child(link, name));
    if (read('rel') === 'next' || read('relation') === 'next')
      return read('href') ?? read('url') ?? read('uri');
  }
  return undefined;
}
