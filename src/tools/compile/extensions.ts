import { type JsonObject, own } from '../../platform/kernel/plain-json.ts';
import type { CompileContext } from './compile-context.ts';

/** Longest time for which a stranger may have responses reused: a day. */
export const MAX_STRANGERS_TTL_SECONDS = 86_400;

/**
 * Extensions that a stranger's document cannot use. `x-secret` also refuses the operation: what it names would be sent
 * where the document says.
 */
export const PRESETS_ONLY: ReadonlySet<string> = new Set([
  'x-secret',
  'x-mcp-content',
  'x-personal',
  'x-step-back',
  'x-publisher',
  'x-licence',
  'x-titles',
  'x-units',
  'x-codes',
  'x-concise',
  'x-pivot',
  'x-search-hint',
  'x-code-kind',
]);

type Reader = Pick<CompileContext, 'strict' | 'extensions'>;

/**
 * The value of an extension as far as the document's policy gives it effect. The only way to read one: a `$ref` may lead
 * to a part of the document that was not taken for an operation when its extensions were checked.
 */
export function readExtension(name: string, object: JsonObject, context: Reader): unknown {
  const value = own(object, name);
  return context.strict ? value : strangersValue(name, value, context);
}

function strangersValue(name: string, value: unknown, { extensions }: Reader): unknown {
  if (value === undefined || PRESETS_ONLY.has(name)) return undefined;
  if (extensions.get(name)?.check(value) !== undefined) return undefined;
  return name === 'x-cache-ttl' ? Math.min(Number(value), MAX_STRANGERS_TTL_SECONDS) : value;
}

/** The value of an extension on an operation, or else on the document. */
export function extensionOf(
  name: string,
  operation: JsonObject,
  context: Reader & Pick<CompileContext, 'root'>,
): unknown {
  return readExtension(name, operation, context) ?? readExtension(name, context.root, context);
}

/** Whether the domain's rules apply to the document. */
export const isPublicData = (root: JsonObject): boolean => own(root, 'x-public-data') === true;
