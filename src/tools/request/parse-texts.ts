import { parseExactly } from '../../platform/kernel/exact-number.ts';
import { INPUT_LIMITS, scanJson } from '../../platform/kernel/json-scanner.ts';
import { own, ownObject } from '../../platform/kernel/plain-json.ts';
import type { JsonSchema } from '../model.ts';
import { createSchemaJoiner, type JoinSchema } from './join-schema.ts';

/** Characters of a text that may hold JSON. */
const MAX_TEXT = 262_144;
/** Nested values that are looked into, as in the arguments of a call. */
const MAX_DEPTH = 64;
/** Schemas that one call may meet. */
const MAX_STEPS = 20_000;

/**
 * The arguments with their objects and lists, where these were written as JSON in a text: so they are published where
 * a model API could not take their schema (`plain-schema.ts`), and some clients write all of them. A text that the schema
 * may take as it is stays one. The received object if it has no such texts.
 */
export function withParsedTexts(
  received: Readonly<Record<string, unknown>>,
  schema: JsonSchema,
): Readonly<Record<string, unknown>> {
  const join = createSchemaJoiner(schema, MAX_STEPS);
  return parsed(received, schema, join, 0) as Readonly<Record<string, unknown>>;
}

function parsed(value: unknown, schema: unknown, join: JoinSchema, depth: number): unknown {
  if (!mayHoldJson(value) || depth > MAX_DEPTH) return value;
  const { types, keywords } = join(schema);
  if (typeof value === 'string') {
    const kind = value.trimStart().startsWith('{') ? 'object' : 'array';
    const isMeant = types?.includes(kind) === true && !types.includes('string');
    const meant = isMeant ? parseJson(value) : undefined;
    return meant === undefined ? value : parsed(meant, schema, join, depth + 1);
  }
  if (Array.isArray(value)) {
    const items = value.map((item) => parsed(item, keywords['items'], join, depth + 1));
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
  const properties = ownObject(keywords, 'properties');
  const members = Object.entries(value).map(([name, member]) => {
    const known = own(properties, name) ?? keywords['additionalProperties'];
    return [name, parsed(member, known, join, depth + 1), member] as const;
  });
  const isChanged = members.some(([, meant, member]) => meant !== member);
  return isChanged ? Object.fromEntries(members) : value;
}

const mayHoldJson = (value: unknown): value is string | readonly unknown[] | object =>
  typeof value === 'string'
    ? /^\s*[[{]/.test(value) && value.length <= MAX_TEXT
    : typeof value === 'object' && value !== null && !JSON.isRawJSON(value);

function parseJson(text: string): unknown {
  try {
    scanJson(Buffer.from(text), INPUT_LIMITS);
    return parseExactly(text);
  } catch {
    return undefined;
  }
}
