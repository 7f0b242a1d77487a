import { isObject, own } from '../../platform/kernel/plain-json.ts';
import type { ToolDomain } from '../domain.ts';
import type { ComputedDefault } from '../model.ts';

type Defaults = ToolDomain['computedDefaults'];

/**
 * Returns what is wrong with an `x-default` value: it must be the name of a computed default, or
 * `{value: name, unless: [parameter, ...]}` for one that is not computed if another parameter is given.
 */
export function computedDefaultIssue(value: unknown, defaults: Defaults): string | undefined {
  const name = isObject(value) ? own(value, 'value') : value;
  if (typeof name !== 'string' || !defaults.has(name)) {
    return `must be one of ${[...defaults.keys()].join(', ')}`;
  }
  if (!isObject(value)) return undefined;
  const unknown = Object.keys(value).find((key) => key !== 'value' && key !== 'unless');
  if (unknown !== undefined) return `has an unknown key "${unknown}". Known: value, unless`;
  return isNameList(own(value, 'unless'))
    ? undefined
    : 'needs a list of parameter names at "unless"';
}

/** Reads a valid `x-default` value; `unless` keeps the parameters' names on the wire. */
export function computedDefaultRule(
  value: unknown,
  defaults: Defaults,
): ComputedDefault | undefined {
  const expression = isObject(value) ? own(value, 'value') : value;
  if (typeof expression !== 'string') return undefined;
  const compute = defaults.get(expression);
  if (!compute) return undefined;
  const unless = isObject(value) ? own(value, 'unless') : undefined;
  return { expression, compute, unless: isNameList(unless) ? unless : [] };
}

const isNameList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === 'string');
