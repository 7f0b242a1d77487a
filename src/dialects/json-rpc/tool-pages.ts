import { GatewayError } from '../../platform/kernel/error.ts';
import type { CatalogEntry } from '../../tools/catalog-entry.ts';
import { isObject } from './json-rpc.ts';

/** Tools of one page, at most. */
const MAX_PAGE = 500;

/** One page of a list of tools. */
export interface ToolPage {
  readonly entries: readonly CatalogEntry[];
  /** Where the next page begins; null on the last one. */
  readonly nextCursor: string | null;
}

interface Place {
  /** Id of the last tool of the page before; empty at the beginning. */
  readonly after: string;
  readonly limit: number | null;
}

/**
 * The page that the parameters of `tools/list` ask for: every tool in one, unless there is a `limit` or a cursor.
 * `entries` are sorted by id, so that a page stays right when tools come and go. Throws `invalid_arguments`.
 */
export function pageOfTools(entries: readonly CatalogEntry[], params: unknown): ToolPage {
  const { after, limit } = placeOf(params);
  if (after === '' && limit === null) return { entries, nextCursor: null };
  const rest = entries.filter(({ id }) => id > after);
  const page = limit === null ? rest : rest.slice(0, limit);
  const last = page.at(-1);
  const nextCursor =
    last && page.length < rest.length ? encodeCursor({ after: last.id, limit }) : null;
  return { entries: page, nextCursor };
}

function placeOf(params: unknown): Place {
  if (params === undefined) return { after: '', limit: null };
  if (!isObject(params)) throw new GatewayError('invalid_arguments', 'params must be an object.');
  const { cursor, limit } = params;
  if (limit !== undefined && !isLimit(limit)) {
    throw new GatewayError('invalid_arguments', `limit must be an integer from 1 to ${MAX_PAGE}.`);
  }
  const place = cursor === undefined ? { after: '', limit: null } : decodeCursor(cursor);
  return limit === undefined ? place : { ...place, limit };
}

const isLimit = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_PAGE;

const encodeCursor = ({ after, limit }: Place): string =>
  Buffer.from(JSON.stringify([after, limit])).toString('base64url');

function decodeCursor(cursor: unknown): Place {
  try {
    const [after, limit] = JSON.parse(Buffer.from(String(cursor), 'base64url').toString());
    if (typeof after === 'string' && (limit === null || isLimit(limit))) return { after, limit };
  } catch {
    // It is told of below.
  }
  throw new GatewayError(
    'invalid_arguments',
    'Invalid cursor. Omit it to start at the first page.',
  );
}
