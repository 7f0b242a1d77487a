import { closest } from '../../platform/kernel/closest.ts';
import { pointerTo } from '../../platform/kernel/json-pointer.ts';
import { isObject, type JsonObject } from '../../platform/kernel/plain-json.ts';
import type { CompileContext } from './compile-context.ts';
import {
  type Extension,
  type Extensions,
  isPublicData,
  MAX_STRANGERS_TTL_SECONDS,
  type Place,
} from './extension-table.ts';

/** Keys whose value maps names of the author's choosing to objects. The names are never extensions. */
const NAME_MAPS = new Set(
  (
    'properties patternProperties dependentSchemas $defs definitions schemas parameters headers responses ' +
    'examples requestBodies securitySchemes links callbacks pathItems content encoding variables mapping scopes'
  ).split(' '),
);

/** Keys whose value is data of the upstream, in which `x-` has no meaning. */
const DATA_KEYS = new Set(['example', 'default', 'enum', 'const', 'value']);

const METHODS = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']);

/**
 * Reports every extension of the gateway that is misspelt, misplaced or has an invalid value. In a preset that is an
 * issue, and so is every unknown key. In a stranger's document it is a warning: the key may belong to another vendor,
 * and `readExtension` ignores what has no effect.
 */
export function checkExtensions(context: CompileContext): void {
  const { root, strict, refuse, warn, options, extensions } = context;
  const { secretName } = options.domain;
  const secretPointers: string[] = [];
  const report = strict ? refuse : warn;
  const unknownKeyIssue = createKeyCheck(extensions, strict);

  function check(key: string, value: unknown, pointer: string, place: Place): void {
    if (key === 'x-secret' && value === secretName) secretPointers.push(pointer);
    const extension = extensions.get(key);
    const issue = extension
      ? misuseOf(extension, { key, value, pointer, place }, strict)
      : unknownKeyIssue(key);
    if (issue) report(pointer, issue);
  }

  function visit(value: unknown, pointer: string, parentKey: string): void {
    if (Array.isArray(value)) {
      if (parentKey !== 'examples') visitMembers(value, pointer, parentKey);
    } else if (isObject(value)) {
      const place = placeOf(value, pointer, parentKey);
      for (const [key, member] of Object.entries(value)) {
        const memberPointer = pointerTo(pointer, key);
        if (key.startsWith('x-')) check(key, member, memberPointer, place);
        else if (NAME_MAPS.has(key) && isObject(member)) visitMembers(member, memberPointer, key);
        else if (!DATA_KEYS.has(key)) visit(member, memberPointer, key);
      }
    }
  }

  function visitMembers(list: object, pointer: string, key: string): void {
    for (const [name, member] of Object.entries(list)) visit(member, pointerTo(pointer, name), key);
  }

  visit(root, '', '');
  if (!strict) return;
  // The middleware and its secret belong together (docs/contract.md#public-data-middleware).
  if (!isPublicData(root)) {
    const message = `A preset that uses ${secretName} needs x-public-data: true.`;
    for (const pointer of secretPointers) refuse(pointer, message);
  } else if (secretPointers.length === 0) {
    refuse('/x-public-data', `x-public-data is only for presets that use ${secretName}.`);
  }
}

function placeOf(value: JsonObject, pointer: string, parentKey: string): Place {
  if (pointer === '') return 'root';
  if (parentKey === 'securitySchemes') return 'security scheme';
  if (parentKey === 'parameters') return 'parameter';
  const isOperation = METHODS.has(parentKey) && /^\/(paths|components\/pathItems)\//.test(pointer);
  return isOperation && !Object.hasOwn(value, '$ref') ? 'operation' : 'schema';
}

interface Used {
  readonly key: string;
  readonly value: unknown;
  readonly pointer: string;
  readonly place: Place;
}

/** What an extension does not do where it is used, and why. */
function misuseOf(
  { places, check, presetsOnly }: Extension,
  { key, value, pointer, place }: Used,
  strict: boolean,
): string | undefined {
  if (!strict && presetsOnly) return `${key} is only for presets. It was ignored.`;
  const wanted = check(value);
  const issue = !places.includes(place)
    ? `${key} has no effect here. Allowed in: ${places.join(', ')}.`
    : wanted && `${key} ${wanted}.`;
  if (strict) return issue;
  if (issue) return `${issue} It was ignored.`;
  if (key === 'x-read-only' && value === true && !/\/(post|get|head)\/[^/]*$/.test(pointer)) {
    return 'x-read-only only has an effect on POST. It was ignored.';
  }
  return key === 'x-cache-ttl' && Number(value) > MAX_STRANGERS_TTL_SECONDS
    ? `x-cache-ttl is more than a day. ${MAX_STRANGERS_TTL_SECONDS} seconds are used.`
    : undefined;
}

/** Checks unknown keys, each once: vendors repeat theirs in every schema. */
function createKeyCheck(extensions: Extensions, strict: boolean) {
  const known = [...extensions.keys()];
  // Compared without the common prefix, with which short names would seem closer than they are.
  const names = known.map((name) => name.slice(2));
  const issues = new Map<string, string | undefined>();

  function describe(key: string): string | undefined {
    const meant = closest(key.slice(2), names);
    if (meant) return `Unknown extension ${key}. Did you mean x-${meant}?`;
    return strict ? `Unknown extension ${key}. Known: ${known.join(', ')}.` : undefined;
  }

  return (key: string): string | undefined => {
    if (!issues.has(key)) issues.set(key, describe(key));
    return issues.get(key);
  };
}
