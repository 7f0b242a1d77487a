/** Arguments as they were typed; null if they are not a JSON object. */
export function readArguments(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = text.trim() === '' ? {} : JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** What an argument is, as far as its schema says. */
export interface ShownParameter {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly isRequired: boolean;
}

export function parametersOf(schema: unknown): ShownParameter[] {
  const { properties, required } = asObject(schema);
  const names = Array.isArray(required) ? required : [];
  return Object.entries(asObject(properties)).map(([name, value]) => {
    const { type, description } = asObject(value);
    return {
      name,
      type: [type ?? []].flat().join(' | '),
      description: typeof description === 'string' ? description : '',
      isRequired: names.includes(name),
    };
  });
}

/** A call to start from: the required arguments, with their examples or defaults where the schema has any. */
export function exampleOf(schema: unknown): string {
  const { properties } = asObject(schema);
  const members = asObject(properties);
  const example = parametersOf(schema)
    .filter(({ isRequired }) => isRequired)
    .map(({ name }) => [name, exampleValue(asObject(members[name]))]);
  return example.length === 0 ? '{}' : JSON.stringify(Object.fromEntries(example), null, 2);
}

const EMPTY: Readonly<Record<string, unknown>> = {
  string: '',
  integer: 1,
  number: 1,
  boolean: false,
  array: [],
  object: {},
};

function exampleValue({ examples, default: given, enum: values, type }: Record<string, unknown>) {
  const [first] = [...asList(examples), ...(given === undefined ? [] : [given]), ...asList(values)];
  return first ?? EMPTY[String([type].flat()[0])] ?? null;
}

const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const asObject = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});
