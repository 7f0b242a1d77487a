/** How one argument is entered. What is nested is entered as JSON. */
export type FieldKind = 'text' | 'date' | 'number' | 'integer' | 'choice' | 'list' | 'json';

export interface Choice {
  /** As text; `readArguments` returns the value itself. */
  readonly value: string;
  readonly label: string;
}

/** One argument of a tool, as a form shows it. */
export interface Field {
  readonly name: string;
  readonly kind: FieldKind;
  readonly isRequired: boolean;
  readonly description: string | null;
  /** An example, else the default, as text. */
  readonly placeholder: string;
  /** Of a choice, or of the elements of a list. */
  readonly choices: readonly Choice[];
  readonly schema: Schema;
  /** Of the end of a range: the argument where it begins, which names both ends when it varies. */
  readonly rangeStart: string | null;
}

/** Arguments of the gateway, which make something of the rows of an answer; in the order of the form. */
export const ROW_ARGUMENTS: readonly string[] = [
  '_group',
  '_calc',
  '_sort',
  '_limit',
  '_where',
  '_fields',
];

export type Schema = Readonly<Record<string, unknown>>;

export const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The arguments of an input schema, in its order. */
export function readFields(
  inputSchema: Schema,
  rangeStarts: Readonly<Record<string, string>> = {},
): Field[] {
  const properties = isSchema(inputSchema['properties']) ? inputSchema['properties'] : {};
  const required = new Set(listIn(inputSchema, 'required'));
  return Object.entries(properties).map(([name, value]) => ({
    ...readField(name, resolve(value, inputSchema), required.has(name)),
    rangeStart: rangeStarts[name] ?? null,
  }));
}

/** A reference to the definitions of the same document; tools have no others. */
function resolve(value: unknown, root: Schema): Schema {
  const schema = isSchema(value) ? value : {};
  const [, name] = /^#\/\$defs\/(.+)$/.exec(String(schema['$ref'] ?? '')) ?? [];
  const definitions = root['$defs'];
  const target = name && isSchema(definitions) ? definitions[decodeURIComponent(name)] : undefined;
  return isSchema(target) ? { ...target, ...schema } : schema;
}

function readField(name: string, schema: Schema, isRequired: boolean): Omit<Field, 'rangeStart'> {
  const elements = isSchema(schema['items']) ? schema['items'] : {};
  const kind = kindOf(schema, elements);
  const { description } = schema;
  return {
    name,
    kind,
    isRequired,
    description: typeof description === 'string' ? description : null,
    placeholder: showValue(listIn(schema, 'examples')[0] ?? schema['default']),
    choices: choicesOf(kind === 'list' ? elements : schema),
    schema,
  };
}

function kindOf(schema: Schema, elements: Schema): FieldKind {
  const type = typeOf(schema);
  if (choicesOf(schema).length > 0) return 'choice';
  if (type === 'array') return isScalar(elements) ? 'list' : 'json';
  if (!isScalar(schema)) return 'json';
  if (type === 'number' || type === 'integer') return type;
  return schema['format'] === 'date' ? 'date' : 'text';
}

const SCALARS: readonly unknown[] = ['string', 'number', 'integer', 'boolean'];

const isScalar = (schema: Schema): boolean =>
  SCALARS.includes(typeOf(schema)) || choicesOf(schema).length > 0;

/** Of several types, a string takes every text; `null` means that the argument may be left out. */
export function typeOf({ type }: Schema): unknown {
  if (!Array.isArray(type)) return type;
  const types = type.filter((one) => one !== 'null');
  return types.includes('string') ? 'string' : types[0];
}

/** Titled values (`oneOf` with `const`), plain ones (`enum`), and both values of a boolean. */
function choicesOf(schema: Schema): Choice[] {
  const titled = [...listIn(schema, 'oneOf'), ...listIn(schema, 'anyOf')].filter(
    (one): one is Schema => isSchema(one) && 'const' in one,
  );
  if (titled.length > 0) {
    return titled.map((one) => ({
      value: showValue(one['const']),
      label: [showValue(one['const']), one['title']].filter(Boolean).join(' – '),
    }));
  }
  const values = typeOf(schema) === 'boolean' ? [true, false] : listIn(schema, 'enum');
  return values.map((value) => ({ value: showValue(value), label: showValue(value) }));
}

/** A value as a form shows it. */
export const showValue = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);

export const listIn = (schema: Schema, name: string): readonly unknown[] => {
  const value = schema[name];
  return Array.isArray(value) ? value : [];
};
