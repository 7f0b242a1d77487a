import { type ReferenceResolver, referenceOf } from '../document/resolve-reference.ts';
import type { Located } from '../plain-json.ts';

/** A referenced schema of up to this many objects is written in place; larger and cyclic ones go to `$defs`. */
const MAX_INLINE_OBJECTS = 100;
/** References inside references inside ... that are still written in place. */
const MAX_INLINE_DEPTH = 10;

/**
 * Says whether the target of a `$ref` is written in place, which models read more easily than `$defs`. Sizes are
 * remembered, so that a whole document costs one walk.
 */
export function createInlineRule(references: ReferenceResolver): (target: Located) => boolean {
  const sizes = new Map<string, number>();

  /** Objects in a target when all is written in place; infinite for a cycle. */
  function sizeOfTarget({ value, pointer }: Located, depth: number): number {
    const known = sizes.get(pointer);
    if (known !== undefined) return known;
    if (depth > MAX_INLINE_DEPTH) return Number.POSITIVE_INFINITY;
    // Whoever comes back here while the size is being worked out has gone round a cycle.
    sizes.set(pointer, Number.POSITIVE_INFINITY);
    const size = sizeOf(value, depth);
    sizes.set(pointer, size);
    return size;
  }

  function sizeOf(value: unknown, depth: number): number {
    if (typeof value !== 'object' || value === null) return 0;
    const reference = referenceOf(value);
    const target = reference === undefined ? undefined : references.target(reference);
    let size = target ? 1 + sizeOfTarget(target, depth + 1) : 1;
    for (const member of Object.values(value)) {
      if (size > MAX_INLINE_OBJECTS) return Number.POSITIVE_INFINITY;
      size += sizeOf(member, depth);
    }
    return size;
  }

  return (target) => sizeOfTarget(target, 0) <= MAX_INLINE_OBJECTS;
}
