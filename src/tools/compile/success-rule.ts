import { ADVICE, type Cause } from '../../platform/kernel/cause.ts';
import { isJsonPointer } from '../../platform/kernel/json-pointer.ts';
import { isObject } from '../../platform/kernel/plain-json.ts';
import type { SuccessRule } from '../model.ts';
import { listOf } from './guards.ts';

/** The codes for "no data", unless the document sets others. */
const NO_DATA_CODES: readonly string[] = ['03'];

/** Codes that one rule may explain, and pointers to a code. */
const MAX_CAUSES = 200;
const MAX_CODE_POINTERS = 5;
const MAX_CODE_CHARACTERS = 100;

/** YAML reads an unquoted code as a number. */
type Code = string | number;

/** An `x-success` value (see `SuccessRule`), with at least one of `code`, `present`, `failure` and `causes`. */
export interface SuccessValue {
  readonly code?: string | readonly string[];
  readonly values?: readonly Code[];
  readonly empty?: readonly Code[];
  readonly present?: string;
  readonly failure?: string;
  readonly message?: string;
  readonly causes?: Readonly<Record<string, Cause>>;
}

type Check = (value: unknown, key: string) => string | undefined;

const pointerIssue: Check = (value, key) =>
  isJsonPointer(value) ? undefined : `needs a JSON pointer in "${key}", such as /header/code`;

const isPointers = listOf(isJsonPointer, MAX_CODE_POINTERS);

const codePointersIssue: Check = (value, key) => {
  if (!Array.isArray(value)) return pointerIssue(value, key);
  return isPointers(value)
    ? undefined
    : `needs a JSON pointer in "${key}", such as /header/code, or 1 to ${MAX_CODE_POINTERS} of them`;
};

const codeListIssue: Check = (value, key) =>
  Array.isArray(value) && value.every((code) => ['string', 'number'].includes(typeof code))
    ? undefined
    : `needs an array of codes in "${key}"`;

const CAUSES = Object.keys(ADVICE);

const causesIssue: Check = (value, key) => {
  if (!isObject(value)) return `needs an object in "${key}", such as {"020": quota}`;
  const entries = Object.entries(value);
  if (entries.length > MAX_CAUSES) return `has more than ${MAX_CAUSES} codes in "${key}"`;
  for (const [code, cause] of entries) {
    if (code.trim() === '' || code.length > MAX_CODE_CHARACTERS) {
      return `needs codes of 1 to ${MAX_CODE_CHARACTERS} characters in "${key}"`;
    }
    if (!CAUSES.includes(cause as string)) {
      return `has an unknown cause for code "${code}" in "${key}"; known: ${CAUSES.join(', ')}`;
    }
  }
  return undefined;
};

const CHECKS: ReadonlyMap<string, Check> = new Map([
  ['code', codePointersIssue],
  ['present', pointerIssue],
  ['failure', pointerIssue],
  ['message', pointerIssue],
  ['values', codeListIssue],
  ['empty', codeListIssue],
  ['causes', causesIssue],
]);

/** Without one of these, a rule recognises nothing. `causes` alone is enough where the status says yes or no. */
const REQUIRED = ['code', 'present', 'failure', 'causes'];

/** What is wrong with an `x-success` value, if anything. */
export function successIssue(value: unknown): string | undefined {
  if (!isObject(value)) return 'must be an object such as {code: /header/resultCode}';
  for (const [key, member] of Object.entries(value)) {
    const check = CHECKS.get(key);
    if (!check) return `has an unknown member "${key}"; known: ${[...CHECKS.keys()].join(', ')}`;
    const issue = check(member, key);
    if (issue) return issue;
  }
  const isRule = REQUIRED.some((key) => Object.hasOwn(value, key));
  return isRule ? undefined : `must have at least one of: ${REQUIRED.join(', ')}`;
}

export const successRule = (value: SuccessValue): SuccessRule => ({
  code: [value.code ?? []].flat(),
  values: value.values?.map(String) ?? [],
  empty: value.empty?.map(String) ?? NO_DATA_CODES,
  present: value.present ?? null,
  failure: value.failure ?? null,
  message: value.message ?? null,
  causes: Object.fromEntries(
    Object.entries(value.causes ?? {}).map(([code, cause]) => [code.trim(), cause]),
  ),
});
