import { isObject, own, ownObject } from '../platform/kernel/plain-json.ts';
import type { PagingArguments, Tool } from '../tools/model.ts';
import { plainName } from '../tools/rows/row-names.ts';
import type { PageFacts } from '../upstreams/payload/page-facts.ts';
import type { UpstreamResponse } from '../upstreams/payload/upstream-response.ts';
import { inTypes, isDigits, type PageArguments } from './paging.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** A page of a registered API, with the arguments by which it was asked for. */
export interface ReceivedPage {
  readonly tool: Tool;
  readonly paging: PagingArguments;
  readonly arguments: Arguments;
  readonly response: UpstreamResponse;
  readonly onPage: number;
}

/** The arguments to change for the page that follows; null after the last page; undefined if nothing says whether there is one, or how to ask for it. */
export type Following = PageArguments | null | undefined;

/**
 * What follows a page (docs/rows.md). A page that leads to itself is the last one: nothing is asked for twice.
 */
export function followingPage(page: ReceivedPage): Following {
  const next = leadingOn(page);
  if (!next) return next;
  const changed = Object.entries(next).filter(
    ([name, value]) => String(value ?? '') !== String(page.arguments[name] ?? ''),
  );
  if (changed.length > 0) return inTypes(Object.fromEntries(changed), page.tool);
  return page.response.pages?.hasMore ? undefined : null;
}

function leadingOn(page: ReceivedPage): Following {
  const { response, onPage, paging, arguments: args, tool } = page;
  const { pages = {}, links } = response;
  const address = links?.next ?? pages.address;
  if (address !== undefined) return argumentsOf(address, page);
  if (pages.isLast) return null;
  const cursor = pages.cursor && cursorArgument(page, pages.cursor);
  if (cursor) return cursor;
  if (onPage === 0) return pages.hasMore ? undefined : null;
  const { page: byPage, offset, lastId } = paging;
  const total = response.total ?? null;
  if (lastId !== undefined && pages.lastId !== undefined) {
    return pages.hasMore ? { [lastId]: pages.lastId } : undefined;
  }
  if (byPage !== undefined) return nextNumber(byPage, { paging, args, tool, pages, total, onPage });
  if (offset !== undefined) return nextOffset(offset, { paging, args, tool, pages, total, onPage });
  return mayHaveMore(page) || paging.cursor !== undefined ? undefined : null;
}

/** Whether rows may follow that no argument asks for: a full page may be cut at its size. */
function mayHaveMore({ response, onPage, paging, arguments: args, tool }: ReceivedPage): boolean {
  const { pages = {}, total = null } = response;
  const size = sizeOf({ paging, args, tool, pages });
  return (
    pages.hasMore === true ||
    (pages.pages ?? 1) > Math.max(pages.page ?? 1, 1) ||
    (total === null ? size !== undefined && onPage >= size : total > onPage)
  );
}

interface Numbered {
  readonly paging: PagingArguments;
  readonly args: Arguments;
  readonly tool: Tool;
  readonly pages: PageFacts;
  readonly total: number | null;
  readonly onPage: number;
}

/** The number after the number that was asked for, or that the response says it has. */
function nextNumber(name: string, numbered: Numbered): Following {
  const { paging, args, pages, total, onPage } = numbered;
  const asked = count(args[name]);
  const first = paging.first ?? (asked === 0 || (asked ?? pages.page) === 0 ? 0 : 1);
  const page = asked ?? pages.page ?? first;
  const size = sizeOf(numbered);
  const before = Math.max(page - first, 0) * (size ?? onPage);
  const left = pages.pages === undefined ? undefined : page - first + 1 < pages.pages;
  const isMore = hasMore(numbered, { before, size, said: total === null ? left : undefined });
  const isGuess = asked === undefined && pages.page === undefined && paging.first === undefined;
  // Some count from 0, others from 1: without a total, a guess could leave out a page without a word.
  if (isMore && isGuess && total === null) return undefined;
  return isMore ? { [name]: page + 1 } : isMore === false ? null : undefined;
}

/** The first row after the rows that came. */
function nextOffset(name: string, numbered: Numbered): Following {
  const { paging, args, tool, onPage } = numbered;
  const asked = count(args[name]);
  const usual = /offset|skip/i.test(name) ? 0 : undefined;
  const start = paging.first ?? defaultOf(tool, name) ?? usual;
  // Some count from 0, others from 1: a guess would leave out a row, or repeat one.
  if (asked === undefined && start === undefined) return undefined;
  const first = asked ?? start ?? 0;
  // Where nothing says how they count, an empty page is better than a row left out.
  const before = first - Math.min(start ?? first, 1);
  const isMore = hasMore(numbered, { before, size: sizeOf(numbered), said: undefined });
  return isMore ? { [name]: first + onPage } : isMore === false ? null : undefined;
}

interface Position {
  /** Rows before the page. */
  readonly before: number;
  readonly size: number | undefined;
  /** Whether the response says that more pages follow. */
  readonly said: boolean | undefined;
}

/** Without a word of the response, a full page is followed by another; undefined if its size is not known. */
function hasMore(
  { pages, total, onPage }: Numbered,
  { before, size, said }: Position,
): boolean | undefined {
  const known = pages.hasMore ?? said;
  if (known !== undefined) return known;
  if (total !== null) return total > before + onPage;
  return size === undefined ? undefined : onPage >= size;
}

const sizeOf = ({
  paging: { size },
  args,
  tool,
  pages,
}: Pick<Numbered, 'paging' | 'args' | 'tool' | 'pages'>): number | undefined =>
  (size === undefined ? undefined : count(args[size])) ??
  pages.size ??
  (size === undefined ? undefined : defaultOf(tool, size));

function defaultOf({ inputSchema }: Tool, name: string): number | undefined {
  const schema = own(ownObject(inputSchema, 'properties'), name);
  return isObject(schema) ? count(own(schema, 'default')) : undefined;
}

/** The argument that takes a cursor of the response: by the same name, else the only one that takes cursors. */
function cursorArgument(
  { tool, paging }: ReceivedPage,
  { name, value }: NonNullable<PageFacts['cursor']>,
): PageArguments | undefined {
  const plain = plainName(name);
  const wanted = [plain, plain.replace(/^(next|end|last)|next$/g, '')];
  const properties = Object.keys(ownObject(tool.inputSchema, 'properties'));
  const same = properties.find((property) => wanted.includes(plainName(property)));
  const numbered = /offset|start|index|position/.test(plain) ? paging.offset : paging.page;
  const target = paging.cursor ?? same ?? (isDigits(value) ? numbered : undefined);
  return target === undefined ? undefined : { [target]: value };
}

/**
 * An address as changed arguments; undefined if it leads elsewhere, or says more than the arguments of the tool can. The place of
 * this page is left out where the address does: many leave out what does not change.
 */
function argumentsOf(address: string, { tool, paging, response }: ReceivedPage): Following {
  const [from, to] = [URL.parse(response.url), URL.parse(address, response.url)];
  if (!from || !to || to.host !== from.host || pathOf(to) !== pathOf(from)) return undefined;
  const bindings = tool.parameters.filter((each) => each.in === 'query');
  const changed: Record<string, string | null> = {};
  for (const name of new Set(to.searchParams.keys())) {
    const values = to.searchParams.getAll(name);
    const source = bindings.find((each) => each.name === name)?.source;
    const isSame = from.searchParams.getAll(name).join('\n') === values.join('\n');
    if (isSame || (source && source.kind !== 'argument')) continue;
    if (!source || values.length > 1) return undefined;
    changed[source.property] = values[0] ?? '';
  }
  for (const { name, source } of bindings) {
    const isGone = from.searchParams.has(name) && !to.searchParams.has(name);
    if (!isGone || source.kind !== 'argument') continue;
    if ([paging.page, paging.offset, paging.cursor].includes(source.property))
      changed[source.property] = null;
  }
  return changed;
}

const pathOf = ({ pathname }: URL): string => pathname.replace(/\/$/, '');

function count(value: unknown): number | undefined {
  const number = value === null || value === undefined || value === '' ? Number.NaN : Number(value);
  return Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}
