import type { ToolListQuery } from '../../../calls/list-tools.ts';
import { GatewayError } from '../../../platform/kernel/error.ts';
import { isObject } from '../../../platform/kernel/plain-json.ts';
import type { CatalogEntry } from '../../../tools/catalog-entry.ts';
import { isListLimit } from '../../json-rpc/list-limit.ts';
import { decodeListParams } from '../../json-rpc/list-params.ts';

/** One page of a list of tools. */
export interface ToolPage {
  readonly entries: readonly CatalogEntry[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

/** Which tools are wanted, where a page of them starts, and its size. */
export interface PageRequest {
  /** The filters of the list, without its size; undefined for all tools, sorted by id. */
  readonly wanted: ToolListQuery | undefined;
  /** Id of the last tool of the previous page; empty for the first page. */
  readonly after: string;
  /** Number of tools of a search on the previous pages. */
  readonly seen: number;
  readonly limit: number | null;
}

const FIRST_PAGE: PageRequest = { wanted: undefined, after: '', seen: 0, limit: null };

/**
 * A page of the tools that a request wants: all of them unless it has a `limit` or a cursor. Tools without a search are
 * sorted by id, so that a cursor stays valid when tools are added or removed.
 */
export function pageOfTools(entries: readonly CatalogEntry[], request: PageRequest): ToolPage {
  const { after, limit, wanted } = request;
  if (after === '' && limit === null) return { entries, nextCursor: null };
  const rest = wanted?.query === undefined ? restById(entries, after) : restOf(entries, request);
  const page = limit === null ? rest : rest.slice(0, limit);
  const last = page.at(-1);
  const isLast = last === undefined || page.length === rest.length;
  const seen = entries.length - rest.length + page.length;
  return {
    entries: page,
    nextCursor: isLast ? null : encodeCursor({ ...request, after: last.id, seen }),
  };
}

const restById = (entries: readonly CatalogEntry[], after: string): readonly CatalogEntry[] =>
  entries.filter(({ id }) => id > after);

/** The hits of a search after those of the previous page, even if its last tool was removed. */
function restOf(entries: readonly CatalogEntry[], { after, seen }: PageRequest) {
  const at = entries.findIndex(({ id }) => id === after);
  return entries.slice(at < 0 ? seen : at + 1);
}

/** Decodes the parameters of `tools/list`. A cursor keeps the filters of its list. Throws `invalid_arguments`. */
export function decodePageRequest(params: unknown): PageRequest {
  if (params === undefined) return FIRST_PAGE;
  if (!isObject(params)) throw new GatewayError('invalid_arguments', 'params must be an object.');
  const { cursor } = params;
  const { limit, ...filters } = decodeListParams(knownParams(params)) ?? {};
  const wanted = Object.keys(filters).length > 0 ? filters : undefined;
  if (cursor === undefined) return { ...FIRST_PAGE, wanted, limit: limit ?? null };
  const continued = decodeCursor(cursor);
  return limit === undefined ? continued : { ...continued, limit };
}

/** Clients of MCP may send further members. */
const knownParams = (params: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    ['query', 'category', 'limit'].flatMap((name) =>
      params[name] === undefined ? [] : [[name, params[name]]],
    ),
  );

const encodeCursor = ({ after, limit, wanted, seen }: PageRequest): string =>
  Buffer.from(JSON.stringify(wanted ? [after, limit, wanted, seen] : [after, limit])).toString(
    'base64url',
  );

function decodeCursor(cursor: unknown): PageRequest {
  try {
    const text = Buffer.from(String(cursor), 'base64url').toString();
    const [after, limit, filters, seen = 0] = JSON.parse(text);
    const isPlace = typeof after === 'string' && Number.isInteger(seen) && seen >= 0;
    if (isPlace && (limit === null || isListLimit(limit))) {
      return { after, limit, wanted: decodeListParams(filters), seen };
    }
  } catch {
    // Reported below.
  }
  throw new GatewayError(
    'invalid_arguments',
    'Invalid cursor. Omit it to start at the first page.',
  );
}
