import { child, type Located, parsePointer } from '../../platform/kernel/json-pointer.ts';
import type { JsonObject } from '../../platform/kernel/plain-json.ts';
import { type ReferenceResolver, referenceOf } from '../document/resolve-reference.ts';
import type { JsonSchema } from '../model.ts';
import type { FindingScope, Verdict } from './findings.ts';

/** What the schemas of one tool, or of one shared definition, need. */
export interface SchemaUse {
  /** Pointers of the schemas that go to `$defs`. */
  readonly definitions: Set<string>;
  /** Schema objects and their keywords so far. */
  size: number;
}

export const newSchemaUse = (): SchemaUse => ({ definitions: new Set(), size: 0 });

interface SharedSchemaDeps {
  readonly references: ReferenceResolver;
  readonly scope: FindingScope;
  /** Counts schemas. Returns false once a tool has too many, so that the caller stops. */
  readonly spend: (size: number, use: SchemaUse, pointer: string) => boolean;
  readonly convert: (schema: Located, use: SchemaUse) => JsonSchema;
}

interface Converted {
  readonly schema: JsonSchema;
  readonly use: SchemaUse;
  /** Reported again for every operation that uses the schema. */
  readonly verdicts: readonly Verdict[];
}

/** The schemas of one document that `$ref`s lead to. Each is converted once, however many tools share it. */
export function createSharedSchemas({ references, scope, spend, convert }: SharedSchemaDeps) {
  const converted = new Map<string, Converted>();
  const { nameOf, anchorOf } = createDefinitionNames();
  const isInlined = createInlineRule(references);

  function convertOnce(target: Located): Converted {
    const known = converted.get(target.pointer);
    if (known) return known;
    const use = newSchemaUse();
    const { result: schema, verdicts } = scope.collect(() => convert(target, use));
    const result = { schema, use, verdicts };
    converted.set(target.pointer, result);
    return result;
  }

  function inPlace(target: Located, use: SchemaUse): JsonSchema {
    const { schema, use: spent, verdicts } = convertOnce(target);
    scope.repeat(verdicts);
    return spend(spent.size, use, target.pointer) ? schema : {};
  }

  return {
    /** The target of a `$ref`: a small one in place, any other as a reference into `$defs`. */
    convertTarget(target: Located, use: SchemaUse): JsonSchema {
      if (isInlined(target)) return inPlace(target, use);
      use.definitions.add(target.pointer);
      return { $ref: `#/$defs/${nameOf(target.pointer)}` };
    },
    /** The `$defs` that a tool's schemas need, including those that these need in turn. */
    definitions(use: SchemaUse): JsonObject {
      const schemas: Record<string, unknown> = {};
      // A set may grow during iteration: what a definition needs is visited after it.
      for (const pointer of use.definitions) {
        const target = references.at(pointer);
        if (!target) continue;
        schemas[nameOf(pointer)] = { ...anchorOf(target), ...inPlace(target, use) };
        for (const needed of convertOnce(target).use.definitions) use.definitions.add(needed);
      }
      return schemas;
    },
  };
}

/** The names under which the shared schemas of one document appear in `$defs`. */
function createDefinitionNames() {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  const anchorOwners = new Map<string, string>();
  return {
    /** The name of the schema at this pointer: the last word of the pointer, numbered if it is taken. */
    nameOf(pointer: string): string {
      const known = names.get(pointer);
      if (known) return known;
      const word =
        parsePointer(pointer)
          .at(-1)
          ?.replaceAll(/[^A-Za-z0-9]+/g, '_') || 'schema';
      let name = word;
      for (let number = 2; taken.has(name); number++) name = `${word}_${number}`;
      taken.add(name);
      names.set(pointer, name);
      return name;
    },
    /** The schema's `$anchor`, unless another definition has the same one: two alike would break the schema. */
    anchorOf({ value, pointer }: Located): JsonSchema {
      const anchor = child(value, '$anchor');
      if (typeof anchor !== 'string' || !/^[A-Za-z_][-A-Za-z0-9._]*$/.test(anchor)) return {};
      const owner = anchorOwners.get(anchor) ?? pointer;
      anchorOwners.set(anchor, owner);
      return owner === pointer ? { $anchor: anchor } : {};
    },
  };
}

/** A referenced schema with up to this many objects is inlined. Larger and cyclic ones go to `$defs`. */
const MAX_INLINE_OBJECTS = 100;
/** Nested references that are still inlined. */
const MAX_INLINE_DEPTH = 10;

/**
 * Decides whether the target of a `$ref` is inlined, which models read more easily than `$defs`. Sizes are cached, so
 * that a whole document costs one traversal.
 */
function createInlineRule(references: ReferenceResolver): (target: Located) => boolean {
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
