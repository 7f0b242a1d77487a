import { child, type Located } from '../../platform/kernel/json-pointer.ts';
import { isObject, own, setOwn } from '../../platform/kernel/plain-json.ts';
import { MAX_DEPENDENT_NAMES } from '../document/document-limits.ts';
import type { JsonSchema } from '../model.ts';
import { type CompileContext, type InputDraft, RESERVED_ARGUMENTS } from './compile-context.ts';
import { type FlatSchema, flattenSchema } from './flatten-schema.ts';
import { isReadOnly } from './hidden-properties.ts';

/** Keywords that an object body may have besides its properties and still be lifted. */
const LIFTABLE = new Set([
  'type',
  'title',
  'description',
  'example',
  'examples',
  'externalDocs',
  'xml',
  'discriminator',
  'deprecated',
  'readOnly',
  'writeOnly',
  '$schema',
  '$comment',
]);

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
  const { pointer } = target;
  const flat = flattenSchema({ value: target.value, pointer }, context.references);
  if (!flat || flat.properties.size === 0) return undefined;
  const visible = new Map<string, Located>();
  const fixed: Record<string, unknown> = {};
  for (const [name, property] of flat.properties) {
    const value = isObject(property.value) ? (own(property.value, 'x-fixed') ?? null) : null;
    if (value !== null) {
      setOwn(fixed, name, value);
    } else if (!isReadOnly(property.value, context.references)) {
      visible.set(name, property);
    }
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
    !isAnyTaken([...visible.keys()], input) &&
    (required || visible.size * needed.length <= MAX_DEPENDENT_NAMES)
  );
}

const isAnyTaken = (names: readonly string[], { properties }: InputDraft): boolean =>
  names.some((name) => properties.has(name) || RESERVED_ARGUMENTS.has(name));

/** Makes the properties of a body arguments. */
export function liftProperties(
  object: ObjectBody,
  required: boolean,
  input: InputDraft,
  context: CompileContext,
): void {
  for (const [name, property] of object.visible) {
    const schema = context.schemas.convert(property, input.use);
    if (required) {
      input.properties.set(name, schema);
      const isFilledIn = schema['default'] !== undefined;
      if (object.flat.required.has(name) && !isFilledIn) input.required.add(name);
    } else {
      liftOptional(name, schema, object.needed, input);
    }
  }
}

/**
 * A property of an optional body: if it is given, the body's required properties must be given too. Its default is
 * dropped, since it would always be there.
 */
function liftOptional(
  name: string,
  schema: JsonSchema,
  needed: readonly string[],
  { properties, dependentRequired }: InputDraft,
): void {
  const others = needed.filter((other) => other !== name);
  const { default: _, ...withoutDefault } = schema;
  properties.set(name, others.length > 0 ? withoutDefault : schema);
  if (others.length > 0) dependentRequired.set(name, others);
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
  const { type, properties, required, ...rules } = context.schemas.convert(
    { value: others, pointer: target.pointer },
    input.use,
  );
  const names = isObject(properties) ? Object.keys(properties) : [];
  if (type !== 'object' || names.length === 0 || isAnyTaken(names, input)) return null;
  const convertMember = (value: unknown, index: number): JsonSchema =>
    context.schemas.convert({ value, pointer: `${target.pointer}/allOf/${index}` }, input.use);
  for (const name of names) input.properties.set(name, child(properties, name) as JsonSchema);
  for (const name of Array.isArray(required) ? required : []) input.required.add(String(name));
  input.rules = {
    ...(target.value['$schema'] === DIALECT ? { $schema: DIALECT } : {}),
    ...rules,
    ...(Array.isArray(allOf) ? { allOf: allOf.map(convertMember) } : {}),
  };
  return names;
}
