import type { JsonSchema, Tool } from '../../src/tools/model.ts';
import { argumentsOf, isRequired } from '../../src/tools/request/example-arguments.ts';
import { plain, table } from './markdown.ts';

export function parameterTable(tool: Tool): string {
  const computed = new Set(
    tool.parameters.flatMap(({ source }) =>
      source.kind === 'argument' && source.computedDefault ? [source.property] : [],
    ),
  );
  const rows = argumentsOf(tool).map(([name, schema]) => [
    `\`${name}\``,
    typeOf(schema),
    isRequired(tool, name) ? 'yes' : '',
    computed.has(name) ? 'computed' : code(schema['default']),
    meaningOf(schema),
  ]);
  if (rows.length === 0) return 'It has no parameters.';
  return table(['Parameter', 'Type', 'Required', 'Default', 'Meaning'], rows);
}

const code = (value: unknown): string =>
  value === undefined ? '' : `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;

function typeOf(schema: JsonSchema): string {
  const type = [schema['type'] ?? 'any'].flat().join(' or ');
  if (type === 'array') return `list of ${typeOf((schema['items'] ?? {}) as JsonSchema)}`;
  const { minimum, maximum } = schema as { minimum?: number; maximum?: number };
  if (minimum === undefined && maximum === undefined) return type;
  if (maximum === undefined) return `${type}, from ${minimum}`;
  return minimum === undefined ? `${type}, up to ${maximum}` : `${type}, ${minimum} to ${maximum}`;
}

/** The description, followed by the values of an enumeration unless it names them all. */
function meaningOf(schema: JsonSchema): string {
  const values = (schema['enum'] ?? []) as readonly unknown[];
  const words = plain(String(schema['description'] ?? ''));
  const named = new Set(words.split(/[^\p{L}\p{N}_.-]+/u).map((word) => word.replace(/\.$/, '')));
  const isListed = values.every((value) => named.has(String(value)));
  return isListed ? words : `${words} One of ${values.map(code).join(', ')}.`;
}
