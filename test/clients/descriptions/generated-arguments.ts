import { generateSync } from 'json-schema-faker';
import { child, parsePointer } from '../../../src/platform/kernel/json-pointer.ts';
import {
  isObject,
  type JsonObject,
  own,
  ownObject,
  ownText,
} from '../../../src/platform/kernel/plain-json.ts';
import type { Tool } from '../../../src/tools/model.ts';
import { publishedSchema } from '../../../src/tools/request/published-schema.ts';

/** Values of the formats that a published schema names in its descriptions. */
const FORMATS: Readonly<Record<string, string>> = {
  base64: 'aGVsbG8=',
  binary: 'aGVsbG8=',
  byte: 'aGVsbG8=',
  cidr: '192.0.2.0/24',
  date: '2026-11-28',
  'date-time': '2026-11-28T12:00:00Z',
  decimal: '1.5',
  double: '1.5',
  duration: 'P1D',
  email: 'a@example.com',
  float: '1.5',
  hostname: 'example.com',
  int32: '1',
  int64: '1',
  ipv4: '192.0.2.1',
  'json-pointer': '/a',
  ipv6: '2001:db8::1',
  'relative-json-pointer': '0',
  time: '12:00:00Z',
  uri: 'https://example.com/a',
  'uri-reference': '/a',
  'uri-template': '/{a}',
  url: 'https://example.com/a',
  uuid: 'b2e783e1-c824-4d63-b37a-d8d698862f1d',
};

/** A text with characters that mean something in an address. */
const TEXT = 'a b&c=d';

/**
 * The arguments that a careful caller makes of a tool's published schema: those that it requires, or all that it takes.
 * Always the same for the same tool.
 */
export function generatedArguments(tool: Tool, which: 'required' | 'all'): JsonObject {
  const { properties: _, ...schema } = publishedSchema(tool);
  const properties = { ...ownObject(publishedSchema(tool), 'properties') };
  // Every tool without arguments has it, to be left out.
  delete properties['_clientId'];
  return objectOf({ ...schema, properties }, which);
}

/** Whether something is within an argument that is published as a text that holds JSON, of which a caller knows little. */
export function isWithinJson(args: JsonObject, pointer: string): boolean {
  let value: unknown = args;
  for (const token of parsePointer(pointer)) {
    if (value === '{}' || value === '[]') return true;
    value = child(value, token);
  }
  return value === '{}' || value === '[]';
}

function objectOf(schema: JsonObject, which: 'required' | 'all'): JsonObject {
  const required = [own(schema, 'required') ?? []].flat();
  const members = Object.entries(ownObject(schema, 'properties'));
  const chosen = members.filter(([name]) => which === 'all' || required.includes(name));
  return Object.fromEntries(
    chosen.map(([name, member]) => [name, made(isObject(member) ? member : {}, which)]),
  );
}

function made(schema: JsonObject, which: 'required' | 'all'): unknown {
  switch (own(schema, 'type')) {
    case 'object': {
      const value = objectOf(schema, which);
      return Object.keys(value).length > 0 ? value : objectOf(schema, 'all');
    }
    case 'array': {
      const { items, minItems } = schema;
      const length = Math.max(1, typeof minItems === 'number' ? minItems : 0);
      return new Array(length).fill(made(isObject(items) ? items : {}, which));
    }
    case 'boolean':
      return true;
    case 'integer':
      return Math.round(numberOf(schema));
    case 'number':
      return numberOf(schema);
    default:
      return textOf(schema);
  }
}

/** One of those that the description lists, or else between the bounds, either of which may be exclusive. */
function numberOf(schema: JsonObject): number {
  const { minimum, maximum } = schema;
  const [, first] = /\bOne of (-?[\d.]+\d|\d)/.exec(ownText(schema, 'description') ?? '') ?? [];
  if (first !== undefined) return Number(first);
  const [least, most] = [minimum, maximum].map((bound) =>
    typeof bound === 'number' ? bound : undefined,
  );
  if (least === undefined) return most === undefined || most > 1 ? 1 : most - 1;
  return most === undefined ? least + 1 : (least + most) / 2;
}

function textOf(schema: JsonObject): string {
  const values = own(schema, 'enum');
  if (Array.isArray(values)) return String(values[0]);
  const description = ownText(schema, 'description') ?? '';
  const [, json] = /\bJSON (object|list)\b/.exec(description) ?? [];
  if (json !== undefined) return json === 'object' ? '{}' : '[]';
  const [, named = ownText(schema, 'format') ?? ''] =
    /\bFormat: ([\w-]+)\./.exec(description) ?? [];
  const { pattern, minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema;
  if (typeof pattern === 'string')
    return String(generateSync({ ...schema, type: 'string' }, { seed: 1 }));
  const text = own(FORMATS, named) ?? TEXT;
  return String(text).padEnd(Number(minLength), 'x').slice(0, Number(maxLength));
}
