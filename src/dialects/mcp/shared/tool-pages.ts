import type { ToolListQuery } from '../../../calls/list-tools.ts';
import { GatewayError } from '../../../platform/kernel/error.ts';
import { isObject } from '../../../platform/kernel/plain-json.ts';
import type { CatalogEntry } from '../../../tools/catalog-entry.ts';
import { publishedSchema, wideSchema } from '../../../tools/request/published-schema.ts';
import { type EncodeEntries, encodeOnce } from '../../json-rpc/encode-once.ts';
import { decodeListParams, isListLimit } from '../../json-rpc/list-params.ts';
import type { McpEncoding, SchemaForm } from './encode.ts';

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
 * sorted by id, so that a cursor stays valid when tools are added or removed. `nextCursor` is null on the last page.
 */
export function pageOfTools(entries: readonly CatalogEntry[], request: PageRequest) {
  const { after, limit, wanted } = request;
  if (after === '' && limit === null) return { entries, nextCursor: null };
  const rest =
    wanted?.query === undefined ? entries.filter(({ id }) => id > after) : restOf(entries, request);
  const page = limit === null ? rest : rest.slice(0, limit);
  const last = page.at(-1);
  const isLast = last === undefined || page.length === rest.length;
  const seen = entries.length - rest.length + page.length;
  return {
    entries: page,
    nextCursor: isLast ? null : encodeCursor({ ...request, after: last.id, seen }),
  };
}

/** The hits of a search after the previous page, even if its last tool was removed. */
function restOf(entries: readonly CatalogEntry[], { after, seen }: PageRequest) {
  const at = entries.findIndex(({ id }) => id === after);
  return entries.slice(at < 0 ? seen : at + 1);
}

/** Decodes the parameters of `tools/list`. A cursor keeps the filters of its list. Throws `invalid_arguments`. */
export function decodePageRequest(params: unknown): PageRequest {
  if (params === undefined) return FIRST_PAGE;
  if (!isObject(params)) throw new GatewayError('invalid_arguments', 'params must be an object.');
  // Languages without undefined send what they leave out as null, or as an empty text.
  const cursor = params['cursor'] === '' ? undefined : (params['cursor'] ?? undefined);
  const { limit, ...filters } = decodeListParams(knownParams(params)) ?? {};
  const wanted = Object.keys(filters).length > 0 ? filters : undefined;
  if (cursor === undefined) return { ...FIRST_PAGE, wanted, limit: limit ?? null };
  const continued = decodeCursor(cursor);
  return limit === undefined ? continued : { ...continued, limit };
}

/** Clients of MCP may send further members. */
function knownParams(params: Readonly<Record<string, unknown>>): object {
  const given = ['query', 'category', 'limit'].filter((name) => params[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, params[name]]));
}

function encodeCursor({ after, limit, wanted, seen }: PageRequest): string {
  const place = wanted ? [after, limit, wanted, seen] : [after, limit];
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

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

/** Idempotent methods (RFC 9110). */
const IDEMPOTENT = new Set(['GET', 'HEAD', 'PUT', 'DELETE']);

const SCHEMAS: Readonly<Record<SchemaForm, typeof publishedSchema>> = {
  plain: publishedSchema,
  wide: wideSchema,
};

/** `Tool` as MCP clients get it in a list. */
export function toListedTool({ tool, description, source }: CatalogEntry, form: SchemaForm) {
  const { name, annotations, searchHint } = tool;
  const isOwn = source === 'gateway';
  /** On which clients that search tools rely: how to find it, and whether to load it at once. */
  const meta = {
    ...(searchHint === null ? {} : { 'anthropic/searchHint': searchHint }),
    ...(isOwn ? { 'anthropic/alwaysLoad': true } : {}),
  };
  return {
    name,
    title: tool.title ?? name,
    description,
    inputSchema: SCHEMAS[form](tool),
    annotations: {
      ...annotations,
      idempotentHint: annotations.readOnlyHint || IDEMPOTENT.has(tool.method.toUpperCase()),
    },
    ...(Object.keys(meta).length > 0 ? { _meta: meta } : {}),
  };
}

export const createToolListEncoder = (
  { toTool }: Pick<McpEncoding, 'toTool'>,
  form: SchemaForm,
): EncodeEntries => encodeOnce((entry) => (isSafeTool(entry) ? toTool(entry, form) : undefined));

/**
 * Whether clients accept a tool. One without a valid name, a description or an object schema would make strict clients
 * reject the whole list.
 */
const isSafeTool = ({ tool, description }: CatalogEntry): boolean =>
  /^[A-Za-z0-9_.-]{1,128}$/.test(tool.name) &&
  typeof description === 'string' &&
  tool.inputSchema['type'] === 'object';
