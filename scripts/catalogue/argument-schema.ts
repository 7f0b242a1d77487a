import type { JsonSchema, Tool } from '../../src/tools/model.ts';

/** The arguments of a tool's own, with their schemas; those that every tool has begin with `_`. */
export function argumentsOf({ inputSchema }: Tool): [name: string, schema: JsonSchema][] {
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

export const isRequired = ({ inputSchema }: Tool, name: string): boolean =>
  (inputSchema['required'] as readonly string[]).includes(name);

/** The smallest call that a newcomer would make: what is required, and a place where a grid point is wanted. */
export function exampleArguments(tool: Tool): Record<string, unknown> {
  const wanted = argumentsOf(tool).filter(
    ([name]) => isRequired(tool, name) || (tool.grid && (name === 'lat' || name === 'lon')),
  );
  return Object.fromEntries(wanted.map(([name, schema]) => [name, exampleOf(schema)]));
}

function exampleOf(schema: JsonSchema): unknown {
  const [example] = (schema['examples'] ?? []) as readonly unknown[];
  return example ?? schema['default'] ?? (schema['enum'] as readonly unknown[] | undefined)?.[0];
}
