import { GatewayError } from '../../../platform/kernel/error.ts';
import { isObject } from '../../../platform/kernel/plain-json.ts';
import type { CatalogEntry } from '../../../tools/catalog-entry.ts';
import { isListLimit, MAX_LIST_LIMIT } from '../../json-rpc/list-limit.ts';

/** One page of a list of tools. */
export interface ToolPage {
  readonly entries: readonly CatalogEntry[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

/** Where a page starts, and its size. */
interface PageRequest {
  /** Id of the last tool of the previous page; empty for the first page. */
  readonly after: string;
  readonly limit: number | null;
}

/**
 * The page that the parameters of `tools/list` request: all tools unless they contain a `limit` or a cursor. `entries`
 * are sorted by id, so that a cursor stays valid when tools are added or removed. Throws `invalid_arguments`.
 */
export function pageOfTools(entries: readonly CatalogEntry[], params: unknown): ToolPage {
  const { after, limit } = decodePageRequest(params);
  if (after === '' && limit === null) return { entries, nextCursor: null };
  const rest = entries.filter(({ id }) => id > after);
  const page = limit === null ? rest : rest.slice(0, limit);
  const last = page.at(-1);
  const nextCursor =
    last && page.length < rest.length ? encodeCursor({ after: last.id, limit }) : null;
  return { entries: page, nextCursor };
}

function decodePageRequest(params: unknown): PageRequest {
  if (params === undefined) return { after: '', limit: null };
  if (!isObject(params)) throw new GatewayError('invalid_arguments', 'params must be an object.');
  const { cursor, limit } = params;
  if (limit !== undefined && !isListLimit(limit)) {
    throw new GatewayError(
      'invalid_arguments',
      `limit must be an integer from 1 to ${MAX_LIST_LIMIT}.`,
    );
  }
  const requested = cursor === undefined ? { after: '', limit: null } : decodeCursor(cursor);
  return limit === undefined ? requested : { ...requested, limit };
}

const encodeCursor = ({ after, limit }: PageRequest): string =>
  Buffer.from(JSON.stringify([after, limit])).toString('base64url');

function decodeCursor(cursor: unknown): PageRequest {
  try {
    const [after, limit] = JSON.parse(Buffer.from(String(cursor), 'base64url').toString());
    if (typeof after === 'string' && (limit === null || isListLimit(limit))) {
      return { after, limit };
    }
  } catch {
    // Reported below.
  }
  throw new GatewayError(
    'invalid_arguments',
    'Invalid cursor. Omit it to start at the first page.',
  );
}
