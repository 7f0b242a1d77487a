import type { ToolListQuery } from '../../calls/list-tools.ts';
import { type ArgumentFault, GatewayError } from '../../platform/kernel/error.ts';
import { invalidArguments } from '../../platform/kernel/invalid-arguments.ts';
import { pointerTo } from '../../tools/plain-json.ts';
import { MAX_SEARCH_LENGTH } from '../../tools/search/search-entries.ts';
import { isObject } from './json-rpc.ts';

/** Tools of one list. */
export const MAX_LIST_LIMIT = 500;

/** What is wrong with a value that may narrow the list; undefined when nothing is. */
const CHECKS: Readonly<Record<string, (value: unknown) => string | undefined>> = {
  category: (value) => (typeof value === 'string' ? undefined : 'must be a string.'),
  query: (value) =>
    typeof value === 'string' && value.length <= MAX_SEARCH_LENGTH
      ? undefined
      : `must be a string of at most ${MAX_SEARCH_LENGTH} characters.`,
  limit: (value) =>
    Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_LIST_LIMIT
      ? undefined
      : `must be an integer from 1 to ${MAX_LIST_LIMIT}.`,
};

/** Members that clients add to any request, and the cursor of a list in pages, which this one is not. */
const IGNORED: ReadonlySet<string> = new Set(['_meta', '_clientId', 'cursor']);

/** Reads the parameters of `tools/list`; undefined when they narrow nothing. Throws `invalid_arguments`. */
export function decodeListParams(params: unknown): ToolListQuery | undefined {
  if (params === undefined) return undefined;
  if (!isObject(params)) throw new GatewayError('invalid_arguments', 'params must be an object.');
  const given = Object.entries(params).filter(([name]) => !IGNORED.has(name));
  if (given.length === 0) return undefined;
  const faults = given.flatMap(faultsOf);
  if (faults.length > 0) throw invalidArguments('tools/list', faults);
  return Object.fromEntries(given);
}

function faultsOf([name, value]: [string, unknown]): ArgumentFault[] {
  const check = Object.hasOwn(CHECKS, name) ? CHECKS[name] : unknownMember;
  const message = check?.(value);
  return message === undefined ? [] : [{ path: pointerTo('', name), message }];
}

const unknownMember = () =>
  `is not known; tools/list takes ${Object.keys(CHECKS).join(', ')}, all optional.`;
