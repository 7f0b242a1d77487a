import type { ArgumentIssue } from '../../platform/kernel/error.ts';
import { pointerTo } from '../../platform/kernel/json-pointer.ts';
import { isObject } from '../../platform/kernel/plain-json.ts';
import type { OperationFilter } from '../../tools/compile/compile-policy.ts';
import { readFields } from './field-reader.ts';
import { MAX_FILTER_LENGTH, MAX_FILTERS } from './request-bounds.ts';

const MEMBERS = ['tag', 'method', 'path', 'operationId'] as const;
const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'];

/** Reads `include` or `exclude`; undefined if absent. */
export function decodeFilters(
  value: unknown,
  pointer: '/include' | '/exclude',
  issues: ArgumentIssue[],
): readonly OperationFilter[] | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || value.length > MAX_FILTERS) {
    issues.push({ path: pointer, message: `must be an array of at most ${MAX_FILTERS} objects.` });
    return undefined;
  }
  return value.map((entry, index) => decodeFilter(entry, pointerTo(pointer, index), issues));
}

function decodeFilter(value: unknown, pointer: string, issues: ArgumentIssue[]): OperationFilter {
  if (!isObject(value) || !MEMBERS.some((member) => (value[member] ?? undefined) !== undefined)) {
    issues.push({ path: pointer, message: `must be an object with ${MEMBERS.join(', ')}.` });
    return {};
  }
  const fields = readFields(value, issues, pointer);
  fields.allowOnly(MEMBERS, 'a filter');
  const filter: { -readonly [Member in keyof OperationFilter]: string } = {};
  for (const member of MEMBERS) {
    const text = fields.text(member, { maxLength: MAX_FILTER_LENGTH });
    if (text !== undefined) filter[member] = text;
  }
  if (filter.method !== undefined) {
    filter.method = filter.method.toLowerCase();
    if (!METHODS.includes(filter.method)) {
      fields.note('method', `must be one of: ${METHODS.join(', ')}.`);
    }
  }
  return filter;
}
