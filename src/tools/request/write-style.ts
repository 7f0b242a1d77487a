import { isObject } from '../plain-json.ts';

/** How a style puts its parts together: the expressions of RFC 6570, to which OpenAPI's styles are defined equivalent. */
export interface StyleRule {
  /** Before the whole. */
  readonly first: string;
  /** Between exploded parts. */
  readonly separator: string;
  /** Between parts that are not exploded. */
  readonly joiner: string;
  /** Is the parameter's name written? */
  readonly named: boolean;
  /** Between a name and an empty value. */
  readonly ifEmpty: '' | '=';
}

export const SIMPLE: StyleRule = {
  first: '',
  separator: ',',
  joiner: ',',
  named: false,
  ifEmpty: '',
};
export const LABEL: StyleRule = { ...SIMPLE, first: '.', separator: '.' };
export const MATRIX: StyleRule = {
  first: ';',
  separator: ';',
  joiner: ',',
  named: true,
  ifEmpty: '',
};
export const FORM: StyleRule = {
  first: '',
  separator: '&',
  joiner: ',',
  named: true,
  ifEmpty: '=',
};
export const SPACE_DELIMITED: StyleRule = { ...FORM, joiner: '%20' };
export const PIPE_DELIMITED: StyleRule = { ...FORM, joiner: '%7C' };
export const COOKIE: StyleRule = { ...FORM, separator: '; ' };

/** Makes a text safe for its place. */
export type Encode = (text: string) => string;

/**
 * A value written in a style; undefined when nothing is left to write (an empty list or object, or null members
 * only, which RFC 6570 calls undefined). `name` is already encoded. Members that are lists or objects themselves
 * are written as JSON, since no style says anything of them.
 */
export function writeStyle(
  rule: StyleRule,
  name: string,
  value: unknown,
  explode: boolean,
  encode: Encode,
): string | undefined {
  const named = (key: string, text: string): string =>
    text === '' ? key + rule.ifEmpty : `${key}=${text}`;
  if (typeof value !== 'object' || value === null) {
    const text = encode(textOf(value));
    return rule.first + (rule.named ? named(name, text) : text);
  }
  const parts = explode ? exploded(rule, name, value, encode, named) : joined(value, encode);
  if (parts.length === 0) return undefined;
  const text = parts.join(explode ? rule.separator : rule.joiner);
  return rule.first + (explode || !rule.named ? text : named(name, text));
}

function exploded(
  rule: StyleRule,
  name: string,
  value: object,
  encode: Encode,
  named: (key: string, text: string) => string,
): string[] {
  if (!isObject(value)) {
    return present(Object.values(value)).map((item) => {
      const text = encode(textOf(item));
      return rule.named ? named(name, text) : text;
    });
  }
  return entries(value).map(([key, member]) => `${encode(key)}=${encode(textOf(member))}`);
}

function joined(value: object, encode: Encode): string[] {
  if (!isObject(value)) return present(Object.values(value)).map((item) => encode(textOf(item)));
  return entries(value).flatMap(([key, member]) => [encode(key), encode(textOf(member))]);
}

/** `deepObject`: `name[key]=value`. Deeper objects add brackets and lists repeat theirs, as most readers expect. */
export function writeDeepObject(name: string, value: unknown, encode: Encode): string | undefined {
  const pairs: string[] = [];
  function write(path: string, part: unknown): void {
    if (Array.isArray(part)) for (const item of present(part)) write(path, item);
    else if (isObject(part)) {
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

/** A value as the text that stands for it. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}
