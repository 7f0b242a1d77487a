import { isObject } from '../../platform/kernel/plain-json.ts';
import type { ParameterStyle } from '../model.ts';

/** How a style joins its parts: the expressions of RFC 6570, to which OpenAPI defines its styles as equivalent. */
export interface StyleRule {
  readonly first: string;
  /** Between exploded parts. */
  readonly separator: string;
  /** Between parts that are not exploded. */
  readonly joiner: string;
  readonly named: boolean;
  /** Between a name and an empty value. */
  readonly ifEmpty: '' | '=';
}

const SIMPLE: StyleRule = { first: '', separator: ',', joiner: ',', named: false, ifEmpty: '' };
const FORM: StyleRule = { first: '', separator: '&', joiner: ',', named: true, ifEmpty: '=' };

/** The rule of each style but `deepObject`, and of all cookies. */
export const STYLE_RULES: Readonly<
  Record<Exclude<ParameterStyle, 'deepObject'> | 'cookie', StyleRule>
> = {
  simple: SIMPLE,
  label: { ...SIMPLE, first: '.', separator: '.' },
  matrix: { first: ';', separator: ';', joiner: ',', named: true, ifEmpty: '' },
  form: FORM,
  spaceDelimited: { ...FORM, joiner: '%20' },
  pipeDelimited: { ...FORM, joiner: '%7C' },
  cookie: { ...FORM, separator: '; ' },
};

export type Encode = (text: string) => string;

export interface ValueStyle {
  readonly rule: StyleRule;
  /** Whether each item of an array, or each member of an object, is written separately. */
  readonly explode: boolean;
  readonly encode: Encode;
}

/**
 * Writes a value in a style. Undefined if nothing is left to write: an empty array or object, or one with null members
 * only, which RFC 6570 calls undefined. `name` is already encoded. Members that are arrays or objects themselves are
 * written as JSON, because the styles do not define them.
 */
export function writeStyle(style: ValueStyle, name: string, value: unknown): string | undefined {
  const { rule, explode, encode } = style;
  if (typeof value !== 'object' || value === null) {
    const text = encode(textOf(value));
    return rule.first + (rule.named ? named(rule, name, text) : text);
  }
  const parts = explode ? exploded(style, name, value) : joined(value, encode);
  if (parts.length === 0) return undefined;
  const text = parts.join(explode ? rule.separator : rule.joiner);
  return rule.first + (explode || !rule.named ? text : named(rule, name, text));
}

const named = (rule: StyleRule, name: string, text: string): string =>
  text === '' ? name + rule.ifEmpty : `${name}=${text}`;

function exploded({ rule, encode }: ValueStyle, name: string, value: object): string[] {
  if (!isObject(value)) {
    return present(Object.values(value)).map((item) => {
      const text = encode(textOf(item));
      return rule.named ? named(rule, name, text) : text;
    });
  }
  return entries(value).map(([key, member]) => `${encode(key)}=${encode(textOf(member))}`);
}

function joined(value: object, encode: Encode): string[] {
  if (!isObject(value)) return present(Object.values(value)).map((item) => encode(textOf(item)));
  return entries(value).flatMap(([key, member]) => [encode(key), encode(textOf(member))]);
}

/**
 * `deepObject`: `name[key]=value`. Nested objects add brackets and arrays repeat theirs, as most parsers expect. The items of
 * an array are numbered if they are objects or arrays, since their members would run together, and if the array is the
 * whole value, which has no brackets otherwise.
 */
export function writeDeepObject(name: string, value: unknown, encode: Encode): string | undefined {
  const pairs: string[] = [];
  function write(path: string, part: unknown): void {
    if (Array.isArray(part)) {
      const isNumbered =
        part === value || part.some((item) => typeof item === 'object' && item !== null);
      for (const [index, item] of present(part).entries())
        write(isNumbered ? `${path}%5B${index}%5D` : path, item);
    } else if (isObject(part)) {
      for (const [key, member] of entries(part)) write(`${path}%5B${encode(key)}%5D`, member);
    } else pairs.push(`${path}=${encode(textOf(part))}`);
  }
  write(name, value);
  return pairs.length > 0 ? pairs.join('&') : undefined;
}

const present = (items: readonly unknown[]): unknown[] =>
  items.filter((item) => item !== null && item !== undefined);

const entries = (object: Readonly<Record<string, unknown>>): [string, unknown][] =>
  Object.entries(object).filter(([, member]) => member !== null && member !== undefined);

/** A value as a string: JSON for arrays and objects. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

/** Encodes all but unreserved characters (RFC 3986 section 2.3) as UTF-8. The string must be well-formed. */
export function percentEncode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, hex);
}

/**
 * The same, except for the reserved characters that cannot change the structure of a query: OpenAPI's
 * `allowReserved` without `#`, `[`, `]`, `&`, `=` and `+`. `%` is always encoded, so that the value arrives unchanged.
 */
export function percentEncodeReserved(text: string): string {
  // The apostrophe is encoded too, because URL parsers encode it in queries.
  return encodeURIComponent(text)
    .replaceAll("'", '%27')
    .replace(/%(?:3A|2F|3F|40|24|2C|3B)/g, decodeURIComponent);
}

const hex = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
