import type { Located } from '../../platform/kernel/json-pointer.ts';
import { type ReferenceResolver, referenceOf } from '../document/resolve-reference.ts';

/** A referenced schema with up to this many objects is inlined. Larger and cyclic ones go to `$defs`. */
const MAX_INLINE_OBJECTS = 100;
/** Nested references that are still inlined. */
const MAX_INLINE_DEPTH = 10;

/**
 * Decides whether the target of a `$ref` is inlined, which models read more easily than `$defs`. Sizes are cached, so
 * that a whole document costs one traversal.
 */
export function createInlineRule(references: ReferenceResolver): (target: Located) => boolean {
  const sizes = new Map<string, number>();

  /** The number of objects in a target with everything inlined; infinite for a cycle. */
  function sizeOfTarget({ value, pointer }: Located, depth: number): number {
    const known = sizes.get(pointer);
    if (known !== undefined) return known;
    if (depth > MAX_INLINE_DEPTH) return Number.POSITIVE_INFINITY;
    // Reaching this pointer again before its size is known means a cycle.
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
