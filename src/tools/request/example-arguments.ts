import type { JsonSchema, Tool } from '../model.ts';

/** The arguments of a tool with their schemas, without those that every tool has, which start with `_`. */
function argumentsOf({ inputSchema }: Tool): [name: string, schema: JsonSchema][] {
  const definitions = inputSchema['$defs'] as Record<string, JsonSchema> | undefined;
  const properties = inputSchema['properties'] as Record<string, JsonSchema>;
  return Object.entries(properties)
    .filter(([name]) => !name.startsWith('_'))
    .map(([name, schema]) => {
      const target =
        String(schema['$ref'] ?? '')
          .split('/')
          .at(-1) ?? '';
      return [name, { ...definitions?.[target], ...schema }];
    });
}

const isRequired = ({ inputSchema }: Tool, name: string): boolean =>
  (inputSchema['required'] as readonly string[]).includes(name);

/**
 * The arguments of a minimal call: the required ones, and the coordinates of a tool that needs a grid point. Copies: the
 * check of arguments fills in defaults.
 */
export function exampleArguments(tool: Tool): Record<string, unknown> {
  const shown = argumentsOf(tool).filter(
    ([name]) => isRequired(tool, name) || Object.hasOwn(tool.alternative?.schemas ?? {}, name),
  );
  const examples = shown.map(([name, schema]) => [name, exampleOf(schema)]);
  return structuredClone(Object.fromEntries(examples));
}

/** A value that fits: an example, the default, or a value of the enumeration; undefined if the schema names none. */
export function exampleOf(schema: JsonSchema): unknown {
  const [example] = (schema['examples'] ?? []) as readonly unknown[];
  return example ?? schema['default'] ?? (schema['enum'] as readonly unknown[] | undefined)?.[0];
}
