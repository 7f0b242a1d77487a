import { isJsonPointer } from '../../platform/kernel/json-pointer.ts';
import { isObject, type JsonObject, own, ownText } from '../../platform/kernel/plain-json.ts';
import type { SuccessRule } from '../model.ts';

/** The codes for "no data", unless the document sets others. */
const NO_DATA_CODES: readonly string[] = ['03'];

const POINTER_KEYS = ['code', 'present', 'failure'];
const CODE_LIST_KEYS = ['values', 'empty'];
/** Accepted for older presets; it never had an effect. */
const IGNORED_KEY = 'message';

/**
 * What is wrong with an `x-success` value, if anything. It is an object with at least one of `code`, `present` and
 * `failure`:
 * - `code`: JSON pointer to the result code; `values`: codes that mean success besides 0, 00, 000 and 0000;
 *   `empty`: codes that mean "no data", by default 03.
 * - `present`: JSON pointer that must exist in a successful payload.
 * - `failure`: JSON pointer whose existence means failure.
 */
export function successRuleIssue(value: unknown): string | undefined {
  if (!isObject(value)) return 'must be an object such as {code: /header/resultCode}';
  for (const [key, member] of Object.entries(value)) {
    if (key === IGNORED_KEY) continue;
    if (POINTER_KEYS.includes(key)) {
      if (!isJsonPointer(member)) return `needs a JSON pointer in "${key}", such as /header/code`;
    } else if (!CODE_LIST_KEYS.includes(key)) {
      return `has an unknown member "${key}"; known: ${[...POINTER_KEYS, ...CODE_LIST_KEYS].join(', ')}`;
    } else if (!Array.isArray(member) || !member.every(isCode)) {
      return `needs an array of codes in "${key}"`;
    }
  }
  const isRule = ['code', 'present', 'failure'].some((key) => Object.hasOwn(value, key));
  return isRule ? undefined : 'must have at least one of: code, present, failure';
}

const isCode = (value: unknown): boolean => typeof value === 'string' || typeof value === 'number';

/** The rule of a valid `x-success` value. */
export function successRule(value: JsonObject): SuccessRule {
  return {
    code: ownText(value, 'code') ?? null,
    values: codes(own(value, 'values')) ?? [],
    empty: codes(own(value, 'empty')) ?? NO_DATA_CODES,
    present: ownText(value, 'present') ?? null,
    failure: ownText(value, 'failure') ?? null,
  };
}

/** YAML reads an unquoted code as a number. */
const codes = (value: unknown): string[] | undefined =>
  Array.isArray(value) ? value.map(String) : undefined;
