import { isObject, type JsonObject, own } from '../../platform/kernel/plain-json.ts';

const MAX_COLUMNS = 200;
const MAX_CODES = 500;
const MAX_TEXT_LENGTH = 200;

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= MAX_TEXT_LENGTH;

const isMapOf = (value: unknown, isMember: (member: unknown) => boolean, max: number): boolean =>
  isObject(value) &&
  Object.keys(value).length > 0 &&
  Object.keys(value).length <= max &&
  Object.values(value).every(isMember);

const isNames = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length > 0 && value.length <= MAX_COLUMNS && value.every(isText);

/** What is wrong with an `x-titles`, `x-units` or `x-members` value, if anything: a text for each of some columns. */
export const columnTextsIssue = (value: unknown): string | undefined =>
  isMapOf(value, isText, MAX_COLUMNS)
    ? undefined
    : `must map names of columns to texts of at most ${MAX_TEXT_LENGTH} characters`;

/** What is wrong with an `x-codes` value, if anything: for each of some columns, what its codes mean. */
export const columnCodesIssue = (value: unknown): string | undefined =>
  isMapOf(value, (codes) => isMapOf(codes, isText, MAX_CODES), MAX_COLUMNS)
    ? undefined
    : 'must map names of columns to maps of codes to their meanings, such as {SKY: {"1": clear}}';

/** What is wrong with an `x-concise` value, if anything. */
export const conciseIssue = (value: unknown): string | undefined =>
  isNames(value) ? undefined : 'must be a non-empty array of names of columns';

/** What is wrong with an `x-pivot` value, if anything. */
export function pivotIssue(value: unknown): string | undefined {
  const isPivot =
    isObject(value) &&
    Object.keys(value).length === 3 &&
    isNames(own(value, 'rows')) &&
    isText(own(value, 'category')) &&
    isText(own(value, 'value'));
  return isPivot
    ? undefined
    : 'must be {rows: [columns of the time], category: column, value: column}';
}

/** A map of texts as the compiler reads it: names of numbers in YAML become texts. */
export const textsOf = (value: unknown): Readonly<Record<string, string>> =>
  isObject(value) ? (value as JsonObject as Record<string, string>) : {};
