import type { FaultList } from '../document/definition-error.ts';
import { MAX_SCHEMA_NODES, MAX_SCHEMA_NODES_IN_ALL } from '../document/document-limits.ts';
import { type ReferenceResolver, referenceOf } from '../document/resolve-reference.ts';
import type { JsonSchema } from '../model.ts';
import {
  child,
  isObject,
  type JsonObject,
  type Located,
  own,
  pointerTo,
  pointerTokens,
} from '../plain-json.ts';
import { safePattern } from '../request/safe-pattern.ts';
import { type FlatSchema, flattenSchema } from './flatten-schema.ts';
import { createInlineRule } from './inline-rule.ts';
import { ANNOTATION_KEYWORDS, fitsTypeAndEnum, SCHEMA_KEYWORDS } from './schema-keywords.ts';

/** What the schemas of one tool (or of one shared definition) add up to. */
export interface SchemaUse {
  /** Pointers of the schemas that belong into `$defs`. */
  readonly definitions: Set<string>;
  /** Schema objects so far. */
  nodes: number;
}

export const newSchemaUse = (): SchemaUse => ({ definitions: new Set(), nodes: 0 });

export interface SchemaTranslator {
  /** An OpenAPI schema as JSON Schema 2020-12 for input: read-only properties are gone, `$ref`s are local. */
  translate(schema: Located, use: SchemaUse): JsonSchema;
  /** The same for a schema that `flattenSchema` has merged. */
  translateFlat(flat: FlatSchema, pointer: string, use: SchemaUse): JsonSchema;
  /** The `$defs` that a tool's schemas need, those that these need in turn included. */
  definitions(use: SchemaUse): JsonObject;
  isReadOnly(schema: Located): boolean;
}

export interface SchemaDeps {
  readonly references: ReferenceResolver;
  readonly faults: FaultList;
  /** Report what cannot be carried over, instead of leaving it out. */
  readonly strict: boolean;
}

interface Translated {
  readonly schema: JsonSchema;
  readonly use: SchemaUse;
}

/** A schema being put together. */
interface Draft {
  readonly schema: Record<string, unknown>;
  readonly use: SchemaUse;
}

/** Makes the translator of one document; what tools share is translated once. */
export function createSchemaTranslator({
  references,
  faults,
  strict,
}: SchemaDeps): SchemaTranslator {
  const shared = new Map<string, Translated>();
  const definitionNames = new Map<string, string>();
  const takenNames = new Set<string>();
  const anchors = new Map<string, string>();
  const isInlined = createInlineRule(references);
  let nodesInAll = 0;

  function translate({ value, pointer }: Located, use: SchemaUse): JsonSchema {
    if (typeof value === 'boolean') return value ? {} : { not: {} };
    if (!isObject(value)) {
      faults.add(pointer, 'A schema must be an object.');
      return {};
    }
    if (!spend(1, use, pointer)) return {};
    const target = { value, pointer };
    if (referenceOf(value) !== undefined) return translateReference(target, use);
    const members = own(value, 'allOf');
    const flat = Array.isArray(members) ? flattenSchema(target, references) : undefined;
    if (flat) return translateFlat(flat, pointer, use);
    if (Array.isArray(members) && members.length === 1) {
      const member = { value: members[0], pointer: `${pointer}/allOf/0` };
      return combine(translate(member, use), translateBeside(target, 'allOf', use));
    }
    return translateBeside(target, '', use);
  }

  /** Counts schema objects; false when there are too many, so that the caller stops. */
  function spend(nodes: number, use: SchemaUse, pointer: string): boolean {
    use.nodes += nodes;
    nodesInAll += nodes;
    const fits = use.nodes <= MAX_SCHEMA_NODES && nodesInAll <= MAX_SCHEMA_NODES_IN_ALL;
    if (!fits) faults.add(pointer, 'The input schemas are too large.');
    return fits;
  }

  /** All keywords of a schema but one. */
  function translateBeside(
    { value, pointer }: Located<JsonObject>,
    but: string,
    use: SchemaUse,
  ): JsonSchema {
    const draft: Draft = { schema: {}, use };
    for (const key of Object.keys(value)) {
      if (key !== but) translateKeyword(value, key, pointer, draft);
    }
    return settleDefault(draft.schema, pointer);
  }

  function translateFlat(flat: FlatSchema, pointer: string, use: SchemaUse): JsonSchema {
    const rest = translateBeside({ value: flat.rest, pointer }, '', use);
    const properties: Record<string, unknown> = {};
    const required = new Set(flat.required);
    for (const [name, property] of flat.properties) {
      if (isHidden(name, property)) required.delete(name);
      else properties[name] = translate(property, use);
    }
    const wanted = required.size > 0 ? { required: [...required] } : {};
    return { type: 'object', ...rest, properties, ...wanted };
  }

  function translateKeyword(source: JsonObject, key: string, pointer: string, draft: Draft): void {
    const value = own(source, key);
    const place = pointerTo(pointer, key);
    if (key === 'example' && !Object.hasOwn(source, 'examples')) draft.schema['examples'] = [value];
    // Within a body: a default fills it in, a constant keeps callers from changing it.
    if (key === 'x-fixed') Object.assign(draft.schema, { const: value, default: value });
    const keyword = SCHEMA_KEYWORDS.get(key);
    if (!keyword) return;
    const fits = typeof keyword === 'function' ? keyword(value) : fitsNested(keyword, value);
    if (!fits) {
      if (strict) faults.add(place, `"${key}" has a wrong value.`);
    } else if (typeof keyword !== 'function') {
      draft.schema[key] = translateNested({ value, pointer: place }, key, draft.use);
    } else if (key === 'pattern') {
      carryPattern(String(value), place, draft);
    } else if (key === 'required') {
      const required = visibleNames(value as string[], source, pointer);
      if (required.length > 0) draft.schema[key] = required;
    } else {
      draft.schema[key] = value;
    }
  }

  function carryPattern(pattern: string, place: string, { schema }: Draft): void {
    if (safePattern(pattern)) schema['pattern'] = pattern;
    else if (strict) faults.add(place, 'This pattern is invalid or too costly to match.');
    else schema['$comment'] = 'A pattern was left out: it is invalid or too costly to match.';
  }

  function visibleNames(names: readonly string[], source: JsonObject, pointer: string): string[] {
    const properties = own(source, 'properties');
    return names.filter((name) => !isHidden(name, { value: child(properties, name), pointer }));
  }

  function translateNested({ value, pointer }: Located, key: string, use: SchemaUse): unknown {
    if (typeof value === 'boolean') return value;
    const at = (token: string | number, member: unknown): JsonSchema =>
      translate({ value: member, pointer: pointerTo(pointer, token) }, use);
    if (Array.isArray(value)) return value.map((member, index) => at(index, member));
    if (SCHEMA_KEYWORDS.get(key) === 'schema') return translate({ value, pointer }, use);
    const entries = Object.entries(value as JsonObject).filter(
      ([name, member]) =>
        !isHidden(name, { value: member, pointer }) &&
        (key !== 'patternProperties' || safePattern(name)),
    );
    return Object.fromEntries(entries.map(([name, member]) => [name, at(name, member)]));
  }

  function translateReference(source: Located<JsonObject>, use: SchemaUse): JsonSchema {
    const target = references.follow(source);
    if (!target) return {};
    return combine(
      isInlined(target) ? inlined(target, use) : { $ref: definitionReference(target.pointer, use) },
      translateBeside(source, '$ref', use),
    );
  }

  function inlined(target: Located, use: SchemaUse): JsonSchema {
    const { schema, use: spent } = translateShared(target);
    return spend(spent.nodes, use, target.pointer) ? schema : {};
  }

  function translateShared(target: Located): Translated {
    const known = shared.get(target.pointer);
    if (known) return known;
    const use = newSchemaUse();
    const translated = { schema: translate(target, use), use };
    shared.set(target.pointer, translated);
    return translated;
  }

  function definitionReference(pointer: string, use: SchemaUse): string {
    use.definitions.add(pointer);
    return `#/$defs/${definitionName(pointer)}`;
  }

  function definitionName(pointer: string): string {
    const known = definitionNames.get(pointer);
    if (known) return known;
    const word =
      pointerTokens(pointer)
        .at(-1)
        ?.replaceAll(/[^A-Za-z0-9]+/g, '_') || 'schema';
    let name = word;
    for (let number = 2; takenNames.has(name); number++) name = `${word}_${number}`;
    takenNames.add(name);
    definitionNames.set(pointer, name);
    return name;
  }

  function definitions(use: SchemaUse): JsonObject {
    const schemas: Record<string, unknown> = {};
    // A set may grow while it is walked: what a definition needs is visited after it.
    for (const pointer of use.definitions) {
      const target = references.at(pointer);
      if (!target) continue;
      schemas[definitionName(pointer)] = { ...anchorOf(target), ...inlined(target, use) };
      for (const needed of translateShared(target).use.definitions) use.definitions.add(needed);
    }
    return schemas;
  }

  /** A definition stands in one place only, so that its anchor names it alone; two alike would break the schema. */
  function anchorOf({ value, pointer }: Located): JsonSchema {
    const anchor = isObject(value) ? own(value, '$anchor') : undefined;
    if (typeof anchor !== 'string' || !/^[A-Za-z_][-A-Za-z0-9._]*$/.test(anchor)) return {};
    const owner = anchors.get(anchor) ?? pointer;
    anchors.set(anchor, owner);
    return owner === pointer ? { $anchor: anchor } : {};
  }

  function isReadOnly(schema: Located): boolean {
    const reference = referenceOf(schema.value);
    const target = reference === undefined ? undefined : references.target(reference);
    return [schema.value, target?.value].some(
      (value) => isObject(value) && own(value, 'readOnly') === true,
    );
  }

  /** Ajv cannot see a property named `__proto__`, and would give its default to the prototype. */
  const isHidden = (name: string, schema: Located): boolean =>
    name === '__proto__' || isReadOnly(schema);

  /** A default that its own schema refuses would make every call without the argument fail. */
  function settleDefault(schema: Record<string, unknown>, pointer: string): JsonSchema {
    const { default: value, ...rest } = schema;
    const isFine = value === undefined || fitsTypeAndEnum(value, schema['type'], schema['enum']);
    if (isFine) return schema;
    if (strict) faults.add(pointerTo(pointer, 'default'), 'The default does not fit the schema.');
    return rest;
  }

  return { translate, translateFlat, definitions, isReadOnly };
}

function fitsNested(keyword: 'schema' | 'schema list' | 'schema map', value: unknown): boolean {
  if (keyword === 'schema list') return Array.isArray(value) && value.length > 0;
  return isObject(value) || (keyword === 'schema' && typeof value === 'boolean');
}

/** Descriptions beside a `$ref` override its target's; constraints come on top of them. */
function combine(target: JsonSchema, beside: JsonSchema): JsonSchema {
  const overrides = Object.keys(beside).every((key) => ANNOTATION_KEYWORDS.has(key));
  return overrides ? { ...target, ...beside } : { allOf: [target, beside] };
}
