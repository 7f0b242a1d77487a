import { COMPUTED_DEFAULTS, type ComputedDefault, type ComputedDefaultName } from '../model.ts';
import { isObject, own } from '../plain-json.ts';

/**
 * What is wrong with an `x-default` value, or nothing. It is a name of the closed list, or
 * `{value: name, unless: [parameter, ...]}` for one that is not worked out when another parameter is given.
 */
export function computedDefaultFault(value: unknown): string | undefined {
  const name = isObject(value) ? own(value, 'value') : value;
  if (!isExpression(name)) return `must be one of ${COMPUTED_DEFAULTS.join(', ')}`;
  if (!isObject(value)) return undefined;
  const unknown = Object.keys(value).find((key) => key !== 'value' && key !== 'unless');
  if (unknown !== undefined) return `has no "${unknown}"; known: value, unless`;
  return isNameList(own(value, 'unless'))
    ? undefined
    : 'needs a list of parameter names at "unless"';
}

/** The rule that a faultless `x-default` value states, `unless` with the names on the wire. */
export function computedDefaultRule(value: unknown): ComputedDefault | undefined {
  const expression = isObject(value) ? own(value, 'value') : value;
  if (!isExpression(expression)) return undefined;
  const unless = isObject(value) ? own(value, 'unless') : undefined;
  return { expression, unless: isNameList(unless) ? unless : [] };
}

const isExpression = (value: unknown): value is ComputedDefaultName =>
  COMPUTED_DEFAULTS.some((name) => name === value);

const isNameList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === 'string');
