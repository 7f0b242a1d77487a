import { isObject, own } from '../../platform/kernel/plain-json.ts';

/** Whether a value that a document has is of a type. */
export type Guard<T> = (value: unknown) => value is T;

export const isText = (value: unknown): value is string => typeof value === 'string';

export const isFlag = (value: unknown): value is boolean => typeof value === 'boolean';

/** A string of 1 to `max` UTF-16 units. */
export const textUpTo =
  (max: number): Guard<string> =>
  (value): value is string =>
    isText(value) && value !== '' && value.length <= max;

export const isName = textUpTo(Number.POSITIVE_INFINITY);

export const textLike =
  (pattern: RegExp): Guard<string> =>
  (value): value is string =>
    isText(value) && pattern.test(value);

export const oneOf =
  <T>(...values: readonly T[]): Guard<T> =>
  (value): value is T =>
    values.includes(value as T);

export const wholeNumber =
  (min: number, max = Number.POSITIVE_INFINITY): Guard<number> =>
  (value): value is number =>
    Number.isInteger(value) && Number(value) >= min && Number(value) <= max;

/** An array of 1 to `max` items. */
export const listOf =
  <T>(isItem: Guard<T>, max = Number.POSITIVE_INFINITY): Guard<readonly T[]> =>
  (value): value is readonly T[] =>
    Array.isArray(value) && value.length > 0 && value.length <= max && value.every(isItem);

/** An object of 1 to `max` members with names of the author's choosing. */
export const mapOf = <T>(isMember: Guard<T>, max: number): Guard<Readonly<Record<string, T>>> => {
  const isMembers = listOf(isMember, max);
  return (value): value is Readonly<Record<string, T>> =>
    isObject(value) && isMembers(Object.values(value));
};

/** An object with exactly these members. */
export const exactly =
  <T extends object>(members: { readonly [Name in keyof T]: Guard<T[Name]> }): Guard<T> =>
  (value): value is T =>
    isObject(value) &&
    Object.keys(value).length === Object.keys(members).length &&
    Object.entries<Guard<unknown>>(members).every(([name, isMember]) => isMember(own(value, name)));

/** The words of a text that has them between spaces. */
export const setOfWords = (text: string): ReadonlySet<string> => new Set(text.split(' '));
