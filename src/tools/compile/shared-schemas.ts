import type { Located } from '../../platform/kernel/json-pointer.ts';
import type { JsonObject } from '../../platform/kernel/plain-json.ts';
import type { ReferenceResolver } from '../document/resolve-reference.ts';
import type { JsonSchema } from '../model.ts';
import { createDefinitionNames } from './definition-names.ts';
import type { FindingScope, Verdict } from './findings.ts';
import { createInlineRule } from './inline-rule.ts';
import { newSchemaUse, type SchemaUse, type SpendNodes } from './schema-budget.ts';

/** The schemas of one document that `$ref`s lead to. Each is converted once, however many tools share it. */
export interface SharedSchemas {
  /** The target of a `$ref`: a small one in place, any other as a reference into `$defs`. */
  convertTarget(target: Located, use: SchemaUse): JsonSchema;
  /** The `$defs` that a tool's schemas need, including those that these need in turn. */
  definitions(use: SchemaUse): JsonObject;
}

export interface SharedSchemaDeps {
  readonly references: ReferenceResolver;
  readonly scope: FindingScope;
  readonly spend: SpendNodes;
  readonly convert: (schema: Located, use: SchemaUse) => JsonSchema;
}

interface Converted {
  readonly schema: JsonSchema;
  readonly use: SchemaUse;
  /** Reported again for every operation that uses the schema. */
  readonly verdicts: readonly Verdict[];
}

export function createSharedSchemas({
  references,
  scope,
  spend,
  convert,
}: SharedSchemaDeps): SharedSchemas {
  const converted = new Map<string, Converted>();
  const names = createDefinitionNames();
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
    return spend(spent.nodes, use, target.pointer) ? schema : {};
  }

  return {
    convertTarget(target, use) {
      if (isInlined(target)) return inPlace(target, use);
      use.definitions.add(target.pointer);
      return { $ref: `#/$defs/${names.nameOf(target.pointer)}` };
    },
    definitions(use) {
      const schemas: Record<string, unknown> = {};
      // A set may grow during iteration: what a definition needs is visited after it.
      for (const pointer of use.definitions) {
        const target = references.at(pointer);
        if (!target) continue;
        schemas[names.nameOf(pointer)] = { ...names.anchorOf(target), ...inPlace(target, use) };
        for (const needed of convertOnce(target).use.definitions) use.definitions.add(needed);
      }
      return schemas;
    },
  };
}
