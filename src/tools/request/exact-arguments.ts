import { isExactText } from '../../platform/kernel/exact-number.ts';
import { parsePointer, pointerTo, valueAt } from '../../platform/kernel/json-pointer.ts';
import { isObject, setOwn } from '../../platform/kernel/plain-json.ts';
import type { Arguments } from './lenient-arguments.ts';

/** A number with more digits than a double keeps: where it is among the arguments, and how it is written. */
export interface ExactPlace {
  readonly path: string;
  readonly text: string;
}

/** Arguments with doubles in place of such numbers, which a schema can check and a thread can receive. */
export interface RoundedArguments {
  readonly rounded: Arguments;
  readonly exact: readonly ExactPlace[];
}

/** Replaces the numbers that were kept as written. */
export function roundArguments(args: Arguments): RoundedArguments {
  const exact: ExactPlace[] = [];
  const visit = (value: unknown, path: string): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (JSON.isRawJSON(value)) {
      exact.push({ path, text: value.rawJSON });
      return Number(value.rawJSON);
    }
    if (Array.isArray(value))
      return value.map((item, index) => visit(item, pointerTo(path, index)));
    const copy: Record<string, unknown> = {};
    for (const [name, member] of Object.entries(value))
      setOwn(copy, name, visit(member, pointerTo(path, name)));
    return copy;
  };
  return { rounded: visit(args, '') as Arguments, exact };
}

/**
 * The same arguments with other readings of such numbers where a check found issues: a text becomes the number that it
 * states, a number its text. Undefined if none of the issues is of this kind.
 */
export function rereadExact(
  { rounded, exact }: RoundedArguments,
  paths: readonly string[],
): RoundedArguments | undefined {
  const wrong = new Set(paths);
  const texts = [...wrong].flatMap((path) => {
    const text = valueAt(rounded, parsePointer(path));
    return isExactText(text) ? [{ path, text }] : [];
  });
  const numbers = exact.filter(({ path }) => wrong.has(path));
  if (texts.length + numbers.length === 0) return undefined;
  const reread = structuredClone(rounded) as Record<string, unknown>;
  for (const { path, text } of texts) replaceAt(reread, path, Number(text));
  for (const { path, text } of numbers) replaceAt(reread, path, text);
  return {
    rounded: reread,
    exact: [...exact.filter(({ path }) => !wrong.has(path)), ...texts],
  };
}

/**
 * Checked arguments with the digits that were written: as numbers in what is sent as JSON, elsewhere as text, which is what
 * an address has.
 */
export function restoreExact(
  checked: Record<string, unknown>,
  exact: readonly ExactPlace[],
  isJson: (name: string) => boolean,
): Record<string, unknown> {
  if (exact.length === 0) return checked;
  const restored = structuredClone(checked);
  for (const { path, text } of exact) {
    const [name = ''] = parsePointer(path);
    const isInPlace = valueAt(restored, parsePointer(path)) === Number(text);
    if (isInPlace) replaceAt(restored, path, isJson(name) ? JSON.rawJSON(text) : text);
  }
  return restored;
}

function replaceAt(root: Record<string, unknown>, path: string, value: unknown): void {
  const tokens = parsePointer(path);
  const last = tokens.at(-1);
  const holder = valueAt(root, tokens.slice(0, -1));
  if (last === undefined) return;
  if (Array.isArray(holder)) holder[Number(last)] = value;
  else if (isObject(holder)) setOwn(holder, last, value);
}
