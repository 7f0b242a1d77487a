import { isObject, own, ownObject } from '../../platform/kernel/plain-json.ts';
import { referenceOf } from '../document/resolve-reference.ts';
import { PRODUCES } from '../document/swagger-lists.ts';
import type { CompileContext } from './compile-context.ts';
import { isMediaType } from './http-names.ts';
import type { Operation } from './list-operations.ts';

/** Documented types that are asked for by name. */
const MAX_TYPES = 4;

const isJson = (type: string): boolean => /[/+]json\b/i.test(type);

/**
 * `Accept` of an operation: the types that its successful responses have, JSON first, then what the gateway reads besides.
 * Undefined if the document promises nothing that the gateway would not ask for first by itself.
 */
export function compileAccept({ value }: Operation, context: CompileContext): string | undefined {
  const responses = Object.entries(ownObject(value, 'responses'))
    .filter(([status]) => /^2/.test(status))
    .flatMap(([, response]) => {
      const reference = referenceOf(response);
      const target =
        reference === undefined ? response : context.references.target(reference)?.value;
      return isObject(target) ? Object.keys(ownObject(target, 'content')) : [];
    });
  const produced = own(value, PRODUCES) ?? own(context.root, PRODUCES);
  const named = Array.isArray(produced) ? produced.map(String) : responses;
  const types = [...new Set(named)].filter((type) => isMediaType(type) && !type.includes('*'));
  const ordered = [...types.filter(isJson), ...types.filter((type) => !isJson(type))];
  const [first] = ordered;
  if (first === undefined || /^application\/json$/i.test(first)) return undefined;
  const others = ['application/json;q=0.9', 'application/xml;q=0.8', '*/*;q=0.5'];
  return [...ordered.slice(0, MAX_TYPES), ...others].join(', ');
}
