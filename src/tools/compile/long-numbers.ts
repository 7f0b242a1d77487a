import { isExactText } from '../../platform/kernel/exact-number.ts';
import { pointerTo } from '../../platform/kernel/json-pointer.ts';
import type { Report } from '../document/definition-error.ts';
import type { JsonSchema } from '../model.ts';

const BOUNDS = /^(?:exclusiveM|m)(?:in|ax)imum$/;

/** The value of a keyword without what reading or upgrading the document made of it. */
export function plainKeyword(key: string, value: unknown): unknown {
  // The upgrade of 3.0 puts a list of types into a list.
  if (key === 'type' && Array.isArray(value)) return [...new Set(value.flat())];
  // The bounds of 64-bit integers are beyond any double; the nearest one is as good.
  return BOUNDS.test(key) && isExactText(value) ? Number(value) : value;
}

/**
 * Leaves out the values of a number that have more digits than a double keeps, and says so: no check could compare them.
 * Callers may give such numbers, and they are sent as they are written.
 */
export function withoutLongNumbers(
  schema: JsonSchema,
  pointer: string,
  report: Report,
): JsonSchema {
  const types = [schema['type'] ?? []].flat();
  if (!types.includes('integer') && !types.includes('number')) return schema;
  let kept = schema;
  for (const key of ['default', 'const', 'enum']) {
    const values = [schema[key] ?? []].flat();
    if (!values.some(isExactText)) continue;
    const { [key]: _, ...others } = kept;
    const listed = values.slice(0, MAX_LISTED).map(String).join(', ');
    const said = `${key === 'default' ? 'The upstream assumes' : 'One of'} ${listed}.`;
    const description = [others['description'], said].filter(Boolean).join(' ');
    kept = { ...others, description };
    const message = `The ${key} has numbers with more digits than a double keeps, and was left out: such a number is sent as the caller writes it.`;
    report(pointerTo(pointer, key), message);
  }
  return kept;
}

/** Values that a description names. */
const MAX_LISTED = 20;
