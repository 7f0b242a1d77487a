import type { ToolListQuery } from '../../calls/list-tools.ts';
import { type ArgumentIssue, GatewayError, invalidArguments } from '../../platform/kernel/error.ts';
import { pointerTo } from '../../platform/kernel/json-pointer.ts';
import { isObject } from '../../platform/kernel/plain-json.ts';
import { MAX_SEARCH_LENGTH } from '../../tools/search/search-entries.ts';

/** Tools in one response to `tools/list`. */
export const MAX_LIST_LIMIT = 500;

/** Whether a value is a valid `limit` of `tools/list`. */
export const isListLimit = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_LIST_LIMIT;

/** The issue with a value that narrows the list; undefined if it is valid. */
const CHECKS: Readonly<Record<string, (value: unknown) => string | undefined>> = {
  category: (value) => (typeof value === 'string' ? undefined : 'must be a string.'),
  query: (value) =>
    typeof value === 'string' && value.length <= MAX_SEARCH_LENGTH
      ? undefined
      : `must be a string of at most ${MAX_SEARCH_LENGTH} characters.`,
  limit: (value) =>
    isListLimit(value) ? undefined : `must be an integer from 1 to ${MAX_LIST_LIMIT}.`,
};

/** Members that clients add to any request, and the cursor, which only the dialects with pages read. */
const IGNORED: ReadonlySet<string> = new Set(['_meta', '_clientId', 'cursor']);

/** Decodes the parameters of `tools/list`; undefined if they do not narrow the list. `null` counts as absent. Throws `invalid_arguments`. */
export function decodeListParams(params: unknown): ToolListQuery | undefined {
  if (params === undefined) return undefined;
  if (!isObject(params)) throw new GatewayError('invalid_arguments', 'params must be an object.');
  const given = Object.entries(params).filter(
    ([name, value]) => value !== null && !IGNORED.has(name),
  );
  if (given.length === 0) return undefined;
  const issues = given.flatMap(issuesOf);
  if (issues.length > 0) throw invalidArguments('tools/list', issues);
  return Object.fromEntries(given);
}

function issuesOf([name, value]: [string, unknown]): ArgumentIssue[] {
  const message = Object.hasOwn(CHECKS, name) ? CHECKS[name]?.(value) : UNKNOWN;
  return message === undefined ? [] : [{ path: pointerTo('', name), message }];
}

const UNKNOWN = `is not a parameter of tools/list. Parameters, all optional: ${Object.keys(CHECKS).join(', ')}.`;
