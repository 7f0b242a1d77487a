import { ADVICE, type Cause } from '../../platform/kernel/cause.ts';
import { isJsonPointer } from '../../platform/kernel/json-pointer.ts';
import { isObject, type JsonObject, own, ownText } from '../../platform/kernel/plain-json.ts';
import type { SuccessRule } from '../model.ts';

/** The codes for "no data", unless the document sets others. */
const NO_DATA_CODES: readonly string[] = ['03'];

/** Codes that one rule may explain, and pointers to a code. */
const MAX_CAUSES = 200;
const MAX_CODE_POINTERS = 5;
const MAX_CODE_CHARACTERS = 100;

type Check = (value: unknown, key: string) => string | undefined;

const pointerIssue: Check = (value, key) =>
  isJsonPointer(value) ? undefined : `needs a JSON pointer in "${key}", such as /header/code`;

const isCode = (value: unknown): boolean => typeof value === 'string' || typeof value === 'number';

const codeListIssue: Check = (value, key) =>
  Array.isArray(value) && value.every(isCode) ? undefined : `needs an array of codes in "${key}"`;

const codePointersIssue: Check = (value, key) => {
  if (!Array.isArray(value)) return pointerIssue(value, key);
  return value.length > 0 && value.length <= MAX_CODE_POINTERS && value.every(isJsonPointer)
    ? undefined
    : `needs a JSON pointer in "${key}", such as /header/code, or 1 to ${MAX_CODE_POINTERS} of them`;
};

const CAUSES = Object.keys(ADVICE);

const isCause = (value: unknown): value is Cause =>
  typeof value === 'string' && CAUSES.includes(value);

const causesIssue: Check = (value, key) => {
  if (!isObject(value)) return `needs an object in "${key}", such as {"020": quota}`;
  const entries = Object.entries(value);
  if (entries.length > MAX_CAUSES) return `has more than ${MAX_CAUSES} codes in "${key}"`;
  for (const [code, cause] of entries) {
    if (code.trim() === '' || code.length > MAX_CODE_CHARACTERS) {
      return `needs codes of 1 to ${MAX_CODE_CHARACTERS} characters in "${key}"`;
    }
    if (!isCause(cause)) {
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

/**
 * What is wrong with an `x-success` value, if anything. It is an object with at least one of `code`, `present`,
 * `failure` and `causes`:
 * - `code`: JSON pointer to the result code, or several of which the first that leads to a code counts; `values`: codes
 *   that mean success besides 0, 00, 000 and 0000; `empty`: codes that mean "no data", by default 03.
 * - `present`: JSON pointer that must exist in a successful payload.
 * - `failure`: JSON pointer whose existence means failure.
 * - `message`: JSON pointer to what the provider says about a failure.
 * - `causes`: what codes mean, such as `{"020": quota}`; `HTTP 400` is that status of a response without a code.
 */
export function successRuleIssue(value: unknown): string | undefined {
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

/** The rule of a valid `x-success` value. */
export function successRule(value: JsonObject): SuccessRule {
  return {
    code: codePointers(own(value, 'code')),
    values: codes(own(value, 'values')) ?? [],
    empty: codes(own(value, 'empty')) ?? NO_DATA_CODES,
    present: ownText(value, 'present') ?? null,
    failure: ownText(value, 'failure') ?? null,
    message: ownText(value, 'message') ?? null,
    causes: causes(own(value, 'causes')),
  };
}

const codePointers = (value: unknown): string[] => {
  if (value === undefined) return [];
  return Array.isArray(value) ? value.map(String) : [String(value)];
};

/** YAML reads an unquoted code as a number. */
const codes = (value: unknown): string[] | undefined =>
  Array.isArray(value) ? value.map(String) : undefined;

const causes = (value: unknown): Record<string, Cause> =>
  isObject(value)
    ? Object.fromEntries(
        Object.entries(value).flatMap(([code, cause]) =>
          isCause(cause) ? [[code.trim(), cause]] : [],
        ),
      )
    : {};
