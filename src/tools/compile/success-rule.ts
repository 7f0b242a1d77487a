import type { SuccessRule } from '../model.ts';
import { isJsonPointer, isObject, type JsonObject, own, ownText } from '../plain-json.ts';

/** "No data", unless an upstream says otherwise. */
const NO_DATA_CODES: readonly string[] = ['03'];

const POINTER_KEYS = ['code', 'message', 'present', 'failure'];
const CODE_LIST_KEYS = ['values', 'empty'];

/**
 * What is wrong with an `x-success` value, or nothing. It is an object with at least one of `code`, `present`,
 * `failure`:
 * - `code`: JSON pointer to the result code; `values`: codes that mean success beside 0, 00, 000 and 0000;
 *   `empty`: codes that mean "no data", 03 unless said; `message`: JSON pointer to the upstream's own message.
 * - `present`: JSON pointer that must exist in a good payload.
 * - `failure`: JSON pointer whose existence means failure.
 */
export function successRuleFault(value: unknown): string | undefined {
  if (!isObject(value)) return 'must be an object such as {code: /header/resultCode}';
  for (const [key, member] of Object.entries(value)) {
    if (POINTER_KEYS.includes(key)) {
      if (!isJsonPointer(member)) return `needs a JSON pointer at "${key}", such as /header/code`;
    } else if (!CODE_LIST_KEYS.includes(key)) {
      return `has no "${key}"; known: ${[...POINTER_KEYS, ...CODE_LIST_KEYS].join(', ')}`;
    } else if (!Array.isArray(member) || !member.every(isCode)) {
      return `needs a list of codes at "${key}"`;
    }
  }
  const says = ['code', 'present', 'failure'].some((key) => Object.hasOwn(value, key));
  return says ? undefined : 'must have at least one of: code, present, failure';
}

const isCode = (value: unknown): boolean => typeof value === 'string' || typeof value === 'number';

/** The rule that a faultless `x-success` value states. */
export function successRule(value: JsonObject): SuccessRule {
  return {
    code: ownText(value, 'code') ?? null,
    values: codes(own(value, 'values')) ?? [],
    empty: codes(own(value, 'empty')) ?? NO_DATA_CODES,
    message: ownText(value, 'message') ?? null,
    present: ownText(value, 'present') ?? null,
    failure: ownText(value, 'failure') ?? null,
  };
}

/** YAML reads an unquoted code as a number. */
const codes = (value: unknown): string[] | undefined =>
  Array.isArray(value) ? value.map(String) : undefined;
