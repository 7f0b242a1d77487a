import { isObject, own, ownText } from '../../platform/kernel/plain-json.ts';
import type { JsonSchema } from '../model.ts';
import { otherTimeForms } from './near-dates.ts';

/** Characters of a text that may be meant otherwise than it is written. */
const MAX_TEXT = 4096;
/** Values of one list, and of one enum, that are considered. */
const MAX_LIST = 1000;

/** Values that mean the same, of which at most one should fit; the values of a later reading mean it less plainly. */
export type Reading = readonly unknown[];

/** What a value that does not fit its schema may plainly mean. Never throws; the values need not fit either. */
export function nearValues(value: unknown, schema: JsonSchema): Reading[] {
  if (typeof value === 'string') {
    return value.length > MAX_TEXT ? [] : readingsOfText(value.trim(), schema);
  }
  if (typeof value === 'number') return readingsOfNumber(value, schema);
  if (typeof value === 'boolean') return [[String(value)], yesOrNo(value, schema), [[value]]];
  if (Array.isArray(value)) return value.length > MAX_LIST ? [] : readingsOfList(value, schema);
  return isObject(value) ? [[[value]]] : [];
}

function readingsOfText(text: string, schema: JsonSchema): Reading[] {
  return [
    [text],
    NUMBER.test(text) ? numberOf(text) : [],
    BOOLEAN.test(text) ? [text.toLowerCase() === 'true'] : [],
    otherTimeForms(text),
    otherCase(text, schema),
    otherMarks(text),
    ...(own(schema, 'type') === 'string' ? [] : listsOf(text)),
  ];
}

/** A number of JSON, and nothing else. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const BOOLEAN = /^(?:true|false)$/i;

/** The number that a text states, unless a double cannot hold it. */
function numberOf(text: string): number[] {
  const number = Number(text);
  return Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number))
    ? [number]
    : [];
}

/** A number becomes the text of a code only where the schema says which texts are codes. */
function readingsOfNumber(value: number, schema: JsonSchema): Reading[] {
  const text = String(value);
  const isCode = own(schema, 'pattern') !== undefined || own(schema, 'enum') !== undefined;
  const isExact = !Number.isInteger(value) || Number.isSafeInteger(value);
  const codes = isCode && isExact && !losesZeros(text, schema) ? [text] : [];
  return [codes, isExact ? otherTimeForms(text) : [], [[value]], [[text]]];
}

/** Whether codes as long as the schema's examples start with zeros, which a number cannot show. */
function losesZeros(text: string, schema: JsonSchema): boolean {
  const examples = [own(schema, 'examples'), own(schema, 'default')].flat();
  return examples.some(
    (example) => /^0\d/.test(String(example)) && String(example).length > text.length,
  );
}

function yesOrNo(value: boolean, schema: JsonSchema): string[] {
  const values = own(schema, 'enum');
  const isYesOrNo =
    Array.isArray(values) &&
    values.length > 0 &&
    values.every((one) => /^[yn]$/i.test(String(one)));
  return isYesOrNo ? [value ? 'Y' : 'N', value ? 'y' : 'n'] : [];
}

/** The values of an enum that differ only in case; for a pattern, the whole text in the other case. */
function otherCase(text: string, schema: JsonSchema): string[] {
  const lower = text.toLowerCase();
  const values = own(schema, 'enum');
  if (Array.isArray(values)) {
    return values
      .slice(0, MAX_LIST)
      .filter((one): one is string => typeof one === 'string' && one.toLowerCase() === lower);
  }
  const upper = text.toUpperCase();
  return text === upper ? [lower] : text === lower ? [upper] : [];
}

/** A list in one text, with other marks between its values. */
function otherMarks(text: string): string[] {
  const parts = text.split(/\s*[,;]\s*/).filter((part) => part !== '');
  return parts.length > 1 && parts.length <= MAX_LIST ? [parts.join(','), parts.join(';')] : [];
}

/** The list that a text states: as JSON, between commas, or as one value. */
function listsOf(text: string): Reading[] {
  const parts = text.split(',').map((part) => part.trim());
  const isList = parts.length > 1 && parts.length <= MAX_LIST && !parts.includes('');
  const between = isList ? [[parts], parts.every(isNumber) ? [parts.map(Number)] : []] : [];
  return [parsedOf(text), ...between, [[text]], isNumber(text) ? [[Number(text)]] : []];
}

const isNumber = (text: string): boolean => NUMBER.test(text) && numberOf(text).length > 0;

function parsedOf(text: string): unknown[] {
  if (!/^[[{]/.test(text)) return [];
  try {
    return [JSON.parse(text)];
  } catch {
    return [];
  }
}

function readingsOfList(list: readonly unknown[], schema: JsonSchema): Reading[] {
  const [only] = list;
  const texts = list.map(String);
  const isPlain = list.every((one) => typeof one === 'string' || typeof one === 'number');
  if (!isPlain) return list.length === 1 ? [[only]] : [];
  return [
    list.length === 1 ? [only] : [],
    list.length === 1 && typeof only === 'number' ? (readingsOfNumber(only, schema)[0] ?? []) : [],
    texts.some((text) => /[,;]/.test(text)) || !takesList(schema) ? [] : joined(texts, schema),
    [texts],
    texts.every(isNumber) ? [texts.map(Number)] : [],
  ];
}

/** Without a pattern, which would tell the marks apart, a list is written with commas. */
const joined = (texts: readonly string[], schema: JsonSchema): string[] =>
  own(schema, 'pattern') === undefined ? [texts.join(',')] : [texts.join(','), texts.join(';')];

/** Whether a text may be a list: a pattern decides it, else the description, the default or an example shows it. */
function takesList(schema: JsonSchema): boolean {
  if (own(schema, 'pattern') !== undefined) return true;
  const shown = [own(schema, 'default'), own(schema, 'examples')].flat();
  return (
    /\bcommas?\b|쉼표/i.test(ownText(schema, 'description') ?? '') ||
    shown.some((one) => typeof one === 'string' && one.includes(','))
  );
}
