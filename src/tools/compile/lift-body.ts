import { child, type Located } from '../../platform/kernel/json-pointer.ts';
import { isObject, setOwn } from '../../platform/kernel/plain-json.ts';
import { MAX_DEPENDENT_NAMES } from '../document/document-limits.ts';
import type { JsonSchema } from '../model.ts';
import { PLAIN_NAME } from '../request/plain-schema.ts';
import { type CompileContext, type InputDraft, RESERVED_ARGUMENTS } from './compile-context.ts';
import { type FlatSchema, flattenSchema, isReadOnly } from './flatten-schema.ts';
import { setOfWords } from './guards.ts';

/** Keywords that an object body may have besides its properties and still be lifted. */
const LIFTABLE = setOfWords(
  'type title description example examples externalDocs xml discriminator deprecated readOnly writeOnly $schema $comment $id $anchor',
);

/** A body that is an object with known properties: those that callers may set, and those with fixed values. */
export interface ObjectBody {
  readonly flat: FlatSchema;
  readonly pointer: string;
  readonly visible: ReadonlyMap<string, Located>;
  /** The visible properties that a body must have. */
  readonly needed: readonly string[];
  readonly fixed: Readonly<Record<string, unknown>>;
}

/** Undefined if the schema is not an object with properties. */
export function readObjectBody(schema: Located, context: CompileContext): ObjectBody | undefined {
  const target = context.references.follow(schema);
  if (!target || !isObject(target.value)) return undefined;
  const { value, pointer } = target;
  const flat = flattenSchema({ value, pointer }, context.references);
  if (!flat || flat.properties.size === 0) return undefined;
  const visible = new Map<string, Located>();
  const fixed: Record<string, unknown> = {};
  for (const [name, property] of flat.properties) {
    const constant = child(property.value, 'x-fixed') ?? null;
    if (constant !== null) setOwn(fixed, name, constant);
    else if (!isReadOnly(property.value, context.references)) visible.set(name, property);
  }
  const needed = [...flat.required].filter((name) => visible.has(name));
  return { flat, pointer, visible, needed, fixed };
}

/** Can the properties become arguments without losing a rule or clashing with a parameter? */
export function isLiftable(
  { flat, visible, needed }: ObjectBody,
  required: boolean,
  input: InputDraft,
): boolean {
  const hasOtherRules = Object.entries(flat.rest).some(
    ([key, value]) =>
      !LIFTABLE.has(key) &&
      !key.startsWith('x-') &&
      !(key === 'additionalProperties' && value === false),
  );
  return (
    !hasOtherRules &&
    // What model APIs refuse is not published: a caller could never give it.
    needed.every((name) => PLAIN_NAME.test(name)) &&
    !isAnyTaken([...visible.keys()], input) &&
    (required || visible.size * needed.length <= MAX_DEPENDENT_NAMES)
  );
}

const isAnyTaken = (names: readonly string[], { properties }: InputDraft): boolean =>
  names.some((name) => properties.has(name) || RESERVED_ARGUMENTS.has(name));

/**
 * Makes the properties of a body arguments. If a property of an optional body is given, the body's required properties must
 * be given too.
 */
export function liftProperties(
  { flat, visible, needed }: ObjectBody,
  required: boolean,
  { properties, required: names, filled, dependentRequired, use }: InputDraft,
  { schemas, strict }: CompileContext,
): void {
  for (const [name, property] of visible) {
    const schema = schemas.convert(property, use);
    const others = required ? [] : needed.filter((other) => other !== name);
    const { default: value, ...withoutDefault } = schema;
    // All defaults of a preset are sent, and so an optional body would always be there.
    properties.set(name, strict && others.length > 0 ? withoutDefault : schema);
    if (others.length > 0) dependentRequired.set(name, others);
    if (required && flat.required.has(name)) (value === undefined ? names : filled).add(name);
  }
}

/** The dialect of input schemas. A document may name it; any other name would be wrong. */
const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/**
 * Makes the properties of a body arguments, and its other rules rules of all arguments (`x-lift-body`). Returns the
 * names of the properties. Returns null, and changes nothing, for a body that is not an object with properties or
 * has a property named like a parameter.
 */
export function liftWithRules(
  schema: Located,
  input: InputDraft,
  context: CompileContext,
): string[] | null {
  const target = context.references.followToObject(schema);
  if (!target) return null;
  const { allOf, ...others } = target.value;
  const place = { value: others, pointer: target.pointer };
  const { type, properties, required, ...rules } = context.schemas.convert(place, input.use);
  const names = isObject(properties) ? Object.keys(properties) : [];
  if (type !== 'object' || names.length === 0 || isAnyTaken(names, input)) return null;
  for (const name of names) input.properties.set(name, child(properties, name) as JsonSchema);
  for (const name of Array.isArray(required) ? required.map(String) : []) {
    input.required.add(name);
    input.filled.add(name);
  }
  const members = Array.isArray(allOf) ? allOf : [];
  const converted = members.map((value, index) =>
    context.schemas.convert({ value, pointer: `${target.pointer}/allOf/${index}` }, input.use),
  );
  input.rules = {
    ...(target.value['$schema'] === DIALECT ? { $schema: DIALECT } : {}),
    ...rules,
    ...(Array.isArray(allOf) ? { allOf: converted } : {}),
  };
  return names;
}
