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
  switch (typeof value) {
    case 'string':
      return value.length > MAX_TEXT ? [] : readingsOfText(value.trim(), schema);
    case 'number': {
      const text = String(value);
      return [
        textsOf(value, schema),
        otherTimeForms(text),
        sameNumber(text, schema),
        [[value]],
        [[text]],
      ];
    }
    case 'boolean':
      return [[String(value)], yesOrNo(value, schema), [[value]]];
    default:
      if (!Array.isArray(value)) return isObject(value) ? [[[value]]] : [];
      return value.length > MAX_LIST ? [] : readingsOfList(value, schema);
  }
}

function readingsOfText(text: string, schema: JsonSchema): Reading[] {
  return [
    [text],
    isNumber(text) ? [Number(text)] : [],
    groupedNumber(text, schema),
    BOOLEAN.test(text) ? [text.toLowerCase() === 'true'] : [],
    otherTimeForms(text),
    otherCase(text, schema),
    sameNumber(text, schema),
    withoutMarks(text, schema),
    ...otherMarks(text, schema),
    ...(own(schema, 'type') === 'string' ? listInText(text, schema) : listsOf(text)),
  ];
}

/** A number of JSON, and nothing else. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const BOOLEAN = /^(?:true|false)$/i;

/** Whether a text states a number, and a double can hold it. */
const isNumber = (text: string): boolean => NUMBER.test(text) && isExact(Number(text));

const isExact = (number: number): boolean =>
  Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number));

/**
 * The text of a number where the schema wants a text. If examples start with zeros, the number has lost its own, and regains
 * them where the pattern says how many digits a code has. None if digits may be lost.
 */
function textsOf(value: number, schema: JsonSchema): string[] {
  const { type, pattern, enum: values } = schema;
  const wantsText = [type].flat().includes('string') || (pattern ?? values) !== undefined;
  if (!wantsText || !isExact(value)) return [];
  const text = String(value);
  const padded = shownBy(schema).find(
    (example) => /^0\d/.test(example) && example.length > text.length,
  );
  if (padded === undefined) return [text];
  const [, digits] = DIGITS.exec(String(pattern)) ?? [];
  return Number(digits) === padded.length ? [text.padStart(padded.length, '0')] : [];
}

/** The pattern of codes with a number of digits, which may also be the most of a part of a code. */
const DIGITS = /^\^(?:\\d|\[0-9(?:A-Z)?\])\{(?:1,)?(\d{1,2})\}\$$/;

function yesOrNo(value: boolean, schema: JsonSchema): string[] {
  const values = own(schema, 'enum');
  const isYesOrNo =
    Array.isArray(values) &&
    values.length > 0 &&
    values.every((one) => typeof one === 'string' && /^[yn]$/i.test(one));
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
  return [text.toUpperCase(), lower].filter((other) => other !== text);
}

/** Digits in groups of three, where a whole number is wanted: elsewhere the mark may be a decimal one. */
function groupedNumber(text: string, schema: JsonSchema): number[] {
  const isGrouped =
    [own(schema, 'type')].flat().includes('integer') &&
    /^-?\d{1,3}(?:([ ,])\d{3})(?:\1\d{3})*$/.test(text);
  const number = Number(text.replaceAll(/[ ,]/g, ''));
  return isGrouped && isExact(number) ? [number] : [];
}

/** The values of an enum that are the same number, such as `02` for 2; a month or an hour with its zero. */
function sameNumber(text: string, schema: JsonSchema): string[] {
  if (!/^\d{1,15}(?:\.\d{1,15})?$/.test(text)) return [];
  const values = own(schema, 'enum');
  if (Array.isArray(values)) {
    return values
      .slice(0, MAX_LIST)
      .filter(
        (one): one is string =>
          typeof one === 'string' && DECIMAL.test(one) && Number(one) === Number(text),
      );
  }
  return text.length === 1 && MONTH_OR_HOUR.test(String(own(schema, 'pattern')))
    ? [`0${text}`]
    : [];
}

const DECIMAL = /^\d+(?:\.\d+)?$/;
const MONTH_OR_HOUR = /^\^\((?:0\[1-9\]\|1\[0-2\]|\[01\]\\d\|2\[0-3\])\)\$$/;

/** Fewest digits of a code that people write in groups. */
const MIN_GROUPED_CODE = 5;

/** A code of digits without the blanks or hyphens between its groups, if it is then as long as such codes are. */
function withoutMarks(text: string, schema: JsonSchema): string[] {
  if (!/^\d+(?:([ -])\d+)(?:\1\d+)*$/.test(text) || LIKE_DATE.test(text)) return [];
  const digits = text.replaceAll(/\D/g, '');
  const isLong = digits.length >= MIN_GROUPED_CODE;
  return isLong && lengthsOfCodes(schema).includes(digits.length) ? [digits] : [];
}

/** Groups of digits that may be a day, whichever of its parts is first. */
const LIKE_DATE = /^(?:\d{4}[ -]\d{1,2}(?:[ -].*)?|\d{1,2}[ -]\d{1,2}[ -]\d{4})$/;

/** How many digits a code has, by its pattern and by the examples. */
function lengthsOfCodes(schema: JsonSchema): number[] {
  const stated = String(own(schema, 'pattern')).matchAll(/\\d\{(\d{1,2})\}/g);
  const shown = shownBy(schema).filter((example) => /^\d+$/.test(example));
  return [...[...stated].map(([, digits]) => Number(digits)), ...shown.map(({ length }) => length)];
}

/** The texts among the examples and the default. */
const shownBy = (schema: JsonSchema): string[] =>
  [own(schema, 'examples'), own(schema, 'default')]
    .flat()
    .filter((example) => typeof example === 'string');

/** A list in one text, with the marks between its values that the schema takes. */
function otherMarks(text: string, schema: JsonSchema): Reading[] {
  const parts = text.split(/\s*[,;]\s*/).filter((part) => part !== '');
  return parts.length > 1 && parts.length <= MAX_LIST ? joined(parts, schema) : [];
}

/** What a list of JSON means where one text is wanted; first the list itself, for what is in it. */
const listInText = (text: string, schema: JsonSchema): Reading[] =>
  parsedOf(text)
    .filter((value) => Array.isArray(value) && value.length <= MAX_LIST)
    .flatMap((list) => [[list], ...readingsOfList(list as unknown[], schema)]);

/** The list that a text states: as JSON, between commas, or as one value. */
function listsOf(text: string): Reading[] {
  const parts = text.split(',').map((part) => part.trim());
  const isList = parts.length > 1 && parts.length <= MAX_LIST && !parts.includes('');
  const between = isList ? [[parts], parts.every(isNumber) ? [parts.map(Number)] : []] : [];
  const parsed = parsedOf(text);
  const listed = parsed.filter((value) => !Array.isArray(value)).map((value) => [value]);
  return [parsed, listed, ...between, [[text]], isNumber(text) ? [[Number(text)]] : []];
}

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
  const one = list.length === 1 ? [only] : [];
  if (!list.every(isScalar)) return [one];
  const texts = list.map(String);
  return [
    one,
    one.length === 1 && typeof only === 'number' ? textsOf(only, schema) : [],
    ...(texts.some((text) => /[,;]/.test(text)) ? [] : joined(texts, schema)),
    [texts],
    texts.every(isNumber) ? [texts.map(Number)] : [],
  ];
}

const isScalar = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number';

/** The texts as one list, as they are and with each of them written otherwise. */
function joined(texts: readonly string[], schema: JsonSchema): Reading[] {
  const marks = [',', ';'].filter((mark) => separates(mark, schema));
  if (marks.length === 0) return [];
  const examples = shownBy(schema).flatMap((example) => example.split(/[,;]/));
  return eachOtherwise(texts, { examples }).map((list) => marks.map((mark) => list.join(mark)));
}

/** Most other forms of a date. */
const MAX_FORMS = 10;

/** Texts as they are, then all of them in the other case, without marks, and in each other form of a date. */
function eachOtherwise(texts: readonly string[], schema: JsonSchema): (readonly string[])[] {
  const forms = texts.map(otherTimeForms);
  const most = Math.min(MAX_FORMS, Math.max(0, ...forms.map(({ length }) => length)));
  return [
    texts,
    texts.map((text) => text.toUpperCase()),
    texts.map((text) => text.toLowerCase()),
    texts.map((text) => withoutMarks(text, schema)[0] ?? text),
    ...Array.from({ length: most }, (_, at) => texts.map((text, nth) => forms[nth]?.[at] ?? text)),
  ];
}

/**
 * Whether a mark stands between the values of a text: the default or an example shows it. For commas the description
 * may say it, and a pattern is enough: one that admits a comma means a list, while many admit a semicolon unawares.
 */
function separates(mark: string, schema: JsonSchema): boolean {
  if (shownBy(schema).some((one) => one.includes(mark))) return true;
  const description = ownText(schema, 'description') ?? '';
  return (
    mark === ',' && (own(schema, 'pattern') !== undefined || /\bcommas?\b|쉼표/i.test(description))
  );
}
