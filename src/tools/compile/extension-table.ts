import { isJsonPointer } from '../../platform/kernel/json-pointer.ts';
import { isObject, type JsonObject, own } from '../../platform/kernel/plain-json.ts';
import type { ToolDomain } from '../domain.ts';
import type {
  KoreanTexts,
  Licence,
  MissingNumbers,
  NativeRange,
  PagingArguments,
  Pivot,
  Quota,
  QuotaScope,
  Topic,
} from '../model.ts';
import {
  exactly,
  type Guard,
  isFlag,
  isName,
  listOf,
  mapOf,
  oneOf,
  textLike,
  textUpTo,
  wholeNumber,
} from './guards.ts';
import { type SuccessValue, successIssue } from './success-rule.ts';

export type Place = 'root' | 'operation' | 'parameter' | 'security scheme' | 'schema';

/** An extension whose valid values are `T`. */
export interface Extension<T = unknown> {
  readonly places: readonly Place[];
  /** What the value must be, if it is not that. Completes the sentence "x-name ...". */
  readonly check: (value: unknown) => string | undefined;
  /** Whether a stranger's document cannot use it. */
  readonly presetsOnly: boolean;
  /** Names the type of the values, and is never set. */
  readonly value?: T;
}

const ROOT = ['root'] as const;
const OPERATION = ['operation'] as const;
/** The document may say it once for all of its operations. */
const BOTH = ['root', 'operation'] as const;

const rule = <T>(places: readonly Place[], accepts: Guard<T>, wanted: string): Extension<T> => ({
  places,
  check: (value) => (accepts(value) ? undefined : wanted),
  presetsOnly: false,
});

const presetRule = <T>(...definition: Parameters<typeof rule<T>>): Extension<T> => ({
  ...rule(...definition),
  presetsOnly: true,
});

const FLAG = 'must be true or false';
const POINTER = 'must be a JSON pointer: "" or a string that starts with "/"';

/** Clients read it with every list of tools. */
const MAX_HINT_LENGTH = 200;
/** Each step back is another upstream request within the same call. */
const MAX_STEPS_BACK = 7;
/** The name is repeated in every row. */
const MAX_COLUMN_CHARACTERS = 100;
/** Filters of one tool: each is compared with every row. */
const MAX_FILTERS = 10;
const MAX_COLUMNS = 200;
const MAX_CODES = 500;
/** Names of one value of an enum, each compared with a value that does not fit. */
const MAX_NAMES = 10;
const MAX_NAME_LENGTH = 40;
const MAX_TEXT_LENGTH = 200;
const MAX_UNCONFIRMED_LENGTH = 400;
/** A date, an hour and a minute, with one to spare. */
const MAX_TIME_PARTS = 4;

const isTopic = (value: unknown): value is Topic =>
  isObject(value) && [value['en'], value['ko']].every(textUpTo(30));

const isColumn = textUpTo(MAX_TEXT_LENGTH);
const isColumns = listOf(isColumn, MAX_COLUMNS);
const isColumnTexts = mapOf(isColumn, MAX_COLUMNS);
const COLUMN_TEXTS = `must map names of columns to texts of at most ${MAX_TEXT_LENGTH} characters`;

/** A summary says in Korean what a description says in English. */
const MAX_KOREAN_LENGTH = 1000;
const isKoreanText = textUpTo(MAX_KOREAN_LENGTH);
const isKoreanMap = mapOf(isKoreanText, MAX_COLUMNS);
type GivenKorean = Omit<KoreanTexts, 'server'>;
const KOREAN_MEMBERS: Readonly<Record<keyof GivenKorean, (value: unknown) => boolean>> = {
  title: isKoreanText,
  description: isKoreanText,
  summary: isKoreanText,
  secrets: isKoreanMap,
  parameters: isKoreanMap,
  columns: isKoreanMap,
  codes: mapOf(mapOf(isKoreanText, MAX_CODES), MAX_COLUMNS),
};

const isKorean = (value: unknown): value is Partial<GivenKorean> =>
  isObject(value) &&
  Object.entries(value).every(([name, member]) =>
    Object.hasOwn(KOREAN_MEMBERS, name) ? KOREAN_MEMBERS[name as keyof GivenKorean](member) : false,
  );

const isAddress = textLike(/^https?:\/\/\S+$/);

export const isLicence = exactly<Licence>({
  code: textLike(/^[A-Za-z0-9][A-Za-z0-9.+-]{0,39}$/),
  title: isName,
  /** A licence without a code of its own may be described nowhere. */
  url: (value): value is string | null => value === null || isAddress(value),
});

/**
 * When the data are of:
 * - `{arguments: [base_date, base_time]}`: the arguments whose values make up the time of the data,
 * - `{columns: [fcstDate, fcstTime]}`: the columns that do, in the row with the latest time,
 * - `{pointer: /header/time}`: where the payload says it.
 * `offset` is the offset of the times from UTC.
 */
export interface AsOfValue {
  readonly arguments?: readonly string[];
  readonly columns?: readonly string[];
  readonly pointer?: string;
  readonly offset?: string;
}

const isTimeParts = listOf(isName, MAX_TIME_PARTS);
const AS_OF_PLACES = [
  exactly({ arguments: isTimeParts }),
  exactly({ columns: isTimeParts }),
  exactly({ pointer: isJsonPointer }),
];
const isOffset = textLike(/^[+-]\d\d:\d\d$|^Z$/);

/** The data always describe the moment in which they are fetched, nothing says it, or a place does. */
function isAsOf(value: unknown): value is 'fetch' | 'unknown' | AsOfValue {
  if (!isObject(value)) return value === 'fetch' || value === 'unknown';
  const { offset, ...place } = value;
  return (offset === undefined || isOffset(offset)) && AS_OF_PLACES.some((fits) => fits(place));
}

const isNumber = (value: unknown): value is number => Number.isFinite(value);

const isMissingNumbers = (value: unknown): value is MissingNumbers =>
  exactly<MissingNumbers>({ from: isNumber, to: isNumber })(value) && value.to < value.from;

/** Pairs of arguments of one operation. */
const MAX_RANGES = 4;
const isStep = oneOf<NonNullable<NativeRange['step']>>('day', 'month', 'year');
const isRange = (value: unknown): value is NativeRange =>
  isObject(value) &&
  exactly<Required<NativeRange>>({
    from: isName,
    to: isName,
    step: isStep,
    max: wholeNumber(1),
    exclusive: isFlag,
  })({ step: 'day', exclusive: false, ...value });

/** Longest time for which an old answer may stand in: 90 days. */
const MAX_LAST_GOOD_SECONDS = 90 * 86_400;

const isScope = oneOf<QuotaScope>('operation', 'dataset', 'key', 'address');

function isZone(value: unknown): value is string {
  // A format of its own for each of fifty presets would delay the start.
  if (value === QUOTA.zone) return true;
  try {
    return typeof value === 'string' && Intl.DateTimeFormat('en', { timeZone: value }) !== null;
  } catch {
    return false;
  }
}

export const isQuota = (value: unknown): value is Pick<Quota, 'calls'> & Partial<Quota> =>
  isObject(value) &&
  exactly<Quota>({ calls: wholeNumber(1), zone: isZone, scope: isScope })({ ...QUOTA, ...value });

/** What a quota is that does not say more than the number of calls. */
export const QUOTA = { zone: 'Asia/Seoul', scope: 'operation' } as const;

const PAGING_MEMBERS: Readonly<Record<keyof PagingArguments, (value: unknown) => boolean>> = {
  page: isName,
  first: wholeNumber(0, 1),
  offset: isName,
  size: isName,
  cursor: isName,
  lastId: isName,
  at: isJsonPointer,
};

/** `x-paging`: how the pages of an operation follow one another. */
export const isPaging = (value: unknown): value is 'none' | PagingArguments =>
  value === 'none' ||
  (isObject(value) &&
    Object.keys(value).length > 0 &&
    Object.entries(value).every(
      ([name, member]) =>
        Object.hasOwn(PAGING_MEMBERS, name) &&
        PAGING_MEMBERS[name as keyof PagingArguments](member),
    ));

/** The gateway's extensions (docs/contract.md#preset-definition-files). */
const EXTENSIONS = {
  'x-public-data': rule(ROOT, isFlag, FLAG),
  // Refuses a stranger's operation: what it names would be sent where the document says.
  'x-secret': presetRule(
    ['security scheme', 'parameter'],
    textLike(/^[A-Z][A-Z0-9_]*$/),
    'must be the name of an environment variable, such as EXAMPLE_API_KEY',
  ),
  'x-fixed': rule(
    ['parameter', 'schema'],
    (value): value is unknown => value !== null,
    'must be the value that is always sent; it cannot be null',
  ),
  'x-cache-ttl': rule(BOTH, wholeNumber(0), 'must be a whole number of seconds, 0 for never'),
  'x-quota': presetRule(
    BOTH,
    isQuota,
    'must be {calls, zone, scope}: a whole number from 1, and if not as by default an IANA time zone (Asia/Seoul) and one of operation (the default), dataset, key and address',
  ),
  'x-range': presetRule(
    OPERATION,
    listOf(isRange, MAX_RANGES),
    `must be a list of 1 to ${MAX_RANGES} objects {from, to, max}: two arguments and how many steps one call may span, and perhaps step (day, month or year) and exclusive (true)`,
  ),
  'x-last-good': presetRule(
    BOTH,
    wholeNumber(0, MAX_LAST_GOOD_SECONDS),
    `must be a whole number of seconds up to ${MAX_LAST_GOOD_SECONDS}, 0 for never`,
  ),
  'x-contact-header': presetRule(
    BOTH,
    textLike(/^([A-Za-z0-9]{1,40}-)?User-Agent$/i),
    'must be User-Agent, or a header of which that is the end, such as Example-User-Agent',
  ),
  'x-step-back': presetRule(
    OPERATION,
    wholeNumber(1, MAX_STEPS_BACK),
    `must be a whole number from 1 to ${MAX_STEPS_BACK}`,
  ),
  'x-personal': presetRule(
    OPERATION,
    listOf(isName),
    'must be a non-empty array of argument names',
  ),
  'x-publisher': presetRule(
    BOTH,
    isName,
    'must be the name of the institution that publishes the data',
  ),
  'x-topic': presetRule(
    ROOT,
    isTopic,
    'must be {en, ko}: what it is about, in at most 30 characters each',
  ),
  'x-licence': presetRule(
    BOTH,
    (value): value is 'unknown' | Licence => value === 'unknown' || isLicence(value),
    'must be unknown, or an object with code (such as CC-BY-4.0), title and url (https, of the terms)',
  ),
  'x-as-of': rule(
    BOTH,
    isAsOf,
    'must be fetch, unknown, or an object with one of arguments, columns and pointer, and perhaps offset (such as "+09:00")',
  ),
  'x-ko': presetRule(
    BOTH,
    isKorean,
    `must be {title, description, summary, secrets, parameters, columns, codes}, all in Korean, with texts of at most ${MAX_KOREAN_LENGTH} characters`,
  ),
  'x-search-hint': presetRule(
    OPERATION,
    textUpTo(MAX_HINT_LENGTH),
    `must be words by which the tool is searched, at most ${MAX_HINT_LENGTH} characters`,
  ),
  'x-code-kind': presetRule(
    ['parameter'],
    textLike(/^[a-z][a-z_]*$/),
    'must be a kind of codes that find_code knows, such as district',
  ),
  'x-names': presetRule(
    ['parameter'],
    mapOf(listOf(textUpTo(MAX_NAME_LENGTH), MAX_NAMES), MAX_CODES),
    'must map values of the enum to lists of their names, such as {"1": [male, 남성]}',
  ),
  'x-members': rule(BOTH, isColumnTexts, COLUMN_TEXTS),
  'x-titles': presetRule(BOTH, isColumnTexts, COLUMN_TEXTS),
  'x-units': presetRule(BOTH, isColumnTexts, COLUMN_TEXTS),
  'x-codes': presetRule(
    BOTH,
    mapOf(mapOf(isColumn, MAX_CODES), MAX_COLUMNS),
    'must map names of columns to maps of codes to their meanings, such as {SKY: {"1": clear}}',
  ),
  'x-missing': presetRule(
    BOTH,
    mapOf(isMissingNumbers, MAX_COLUMNS),
    'must map names of columns to the numbers that mean "no value", such as {T: {from: 900, to: -900}}',
  ),
  'x-concise': presetRule(BOTH, isColumns, 'must be a non-empty array of names of columns'),
  'x-pivot': presetRule(
    BOTH,
    exactly<Pivot>({ rows: isColumns, category: isColumn, value: isColumn }),
    'must be {rows: [columns of the time], category: column, value: column}',
  ),
  'x-items': rule(BOTH, isJsonPointer, POINTER),
  'x-item-wrapper': rule(BOTH, isName, 'must be the name of the member that holds the row'),
  'x-success': { places: BOTH, check: successIssue, presetsOnly: false } as Extension<SuccessValue>,
  'x-list-column': rule(
    BOTH,
    textUpTo(MAX_COLUMN_CHARACTERS),
    'must be the name of the column that holds a list of rows',
  ),
  'x-filter': rule(
    OPERATION,
    mapOf(isName, MAX_FILTERS),
    `must map 1 to ${MAX_FILTERS} arguments to columns, such as {LBRRY_NM: lbrryNm}`,
  ),
  'x-oldest-first': presetRule(
    OPERATION,
    isColumns,
    'must be a non-empty array of the columns that name a series',
  ),
  'x-max-rows': presetRule(
    BOTH,
    wholeNumber(1),
    'must be a whole number from 1: the rows that can be reached by paging',
  ),
  'x-total': rule(BOTH, isJsonPointer, POINTER),
  'x-paging': rule(
    BOTH,
    isPaging,
    'must be none, or an object with page, offset, cursor or lastId (names of arguments), and perhaps size, first (0 or 1) and at (a JSON pointer to the cursor or the address of the next page)',
  ),
  'x-lift-body': rule(OPERATION, isFlag, FLAG),
  'x-mcp-content': presetRule(OPERATION, isFlag, FLAG),
  'x-read-only': rule(OPERATION, isFlag, FLAG),
  'x-open-world': rule(BOTH, isFlag, FLAG),
  'x-confidence': rule(OPERATION, oneOf('high', 'medium', 'low'), 'must be high, medium or low'),
  'x-unconfirmed': presetRule(
    ROOT,
    textUpTo(MAX_UNCONFIRMED_LENGTH),
    `must be a string of at most ${MAX_UNCONFIRMED_LENGTH} characters`,
  ),
};

/** The gateway's extensions, by name. */
export type Extensions = ReadonlyMap<string, Extension>;

/** The values that the extension of this name may have. */
export type ValueOf<Name extends string> = Name extends keyof typeof EXTENSIONS
  ? NonNullable<(typeof EXTENSIONS)[Name]['value']>
  : Name extends 'x-default'
    ? DefaultValue
    : unknown;

/** The extensions of every description, and the extensions of the domain. */
export const extensionsOf = ({ alternative, computedDefaults }: ToolDomain): Extensions =>
  new Map<string, Extension>([
    ...Object.entries(EXTENSIONS),
    [alternative.extension, rule(OPERATION, isFlag, FLAG)],
    [
      'x-default',
      {
        places: ['parameter'],
        check: (value) => defaultIssue(value, computedDefaults),
        presetsOnly: false,
      },
    ],
  ]);

/** The name of a computed default, alone or with the parameters that replace it, by their names on the wire. */
export type DefaultValue = string | { readonly value: string; readonly unless: readonly string[] };

function defaultIssue(value: unknown, defaults: ToolDomain['computedDefaults']) {
  const name = isObject(value) ? own(value, 'value') : value;
  if (typeof name !== 'string' || !defaults.has(name)) {
    return `must be one of ${[...defaults.keys()].join(', ')}`;
  }
  if (!isObject(value)) return undefined;
  const unknown = Object.keys(value).find((key) => key !== 'value' && key !== 'unless');
  if (unknown !== undefined) return `has an unknown key "${unknown}". Known: value, unless`;
  return isNames(own(value, 'unless')) ? undefined : 'needs a list of parameter names at "unless"';
}

const isNames = listOf((name): name is string => typeof name === 'string');

/** Longest time for which a stranger may have responses reused: a day. */
export const MAX_STRANGERS_TTL_SECONDS = 86_400;

/** What decides the effect of extensions. */
interface Reader {
  readonly strict: boolean;
  readonly extensions: Extensions;
}

/**
 * The value of an extension if it is valid and the document's policy gives it effect. The only way to read one: a `$ref` may
 * lead to a part of the document that was not taken for an operation when its extensions were checked.
 */
export function readExtension<Name extends string>(
  name: Name,
  object: JsonObject,
  { strict, extensions }: Reader,
): ValueOf<Name> | undefined {
  const value = own(object, name);
  const extension = extensions.get(name);
  if (value === undefined || !extension || extension.check(value) !== undefined) return undefined;
  if (!strict && extension.presetsOnly) return undefined;
  const isCapped = !strict && name === 'x-cache-ttl';
  return (isCapped ? Math.min(Number(value), MAX_STRANGERS_TTL_SECONDS) : value) as ValueOf<Name>;
}

/** The value of an extension on an operation, or else on the document. */
export function extensionOf<Name extends string>(
  name: Name,
  operation: JsonObject,
  context: Reader & { readonly root: JsonObject },
): ValueOf<Name> | undefined {
  return readExtension(name, operation, context) ?? readExtension(name, context.root, context);
}

/** Whether the domain's rules apply to the document. */
export const isPublicData = (root: JsonObject): boolean => own(root, 'x-public-data') === true;
