import { pointerTo } from '../../platform/kernel/json-pointer.ts';
import { isObject, type JsonObject } from '../../platform/kernel/plain-json.ts';
import type { ToolDomain } from '../domain.ts';
import { closest } from '../edit-distance.ts';
import type { CompileContext } from './compile-context.ts';
import type { Extension, Extensions, Place } from './extension-table.ts';
import { isPublicData, MAX_STRANGERS_TTL_SECONDS, PRESETS_ONLY } from './extensions.ts';

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
  const { root, strict, issues, warn, options, extensions } = context;
  const { secretName } = options.domain;
  const secretPointers: string[] = [];
  const report = strict ? issues.add : warn;
  const unknownKeyIssue = createKeyCheck(extensions, strict);

  function check(key: string, value: unknown, pointer: string, place: Place): void {
    const extension = extensions.get(key);
    const issue = extension
      ? strict
        ? extensionIssue(key, extension, value, place)
        : strangerIssue(key, extension, value, { place, pointer })
      : unknownKeyIssue(key);
    if (issue) report(pointer, issue);
    if (key === 'x-secret' && value === secretName) secretPointers.push(pointer);
  }

  function visit(value: unknown, pointer: string, parentKey: string): void {
    if (Array.isArray(value)) {
      if (parentKey === 'examples') return;
      for (const [index, item] of value.entries())
        visit(item, pointerTo(pointer, index), parentKey);
    } else if (isObject(value)) {
      const place = placeOf(value, pointer, parentKey);
      for (const [key, member] of Object.entries(value)) {
        const memberPointer = pointerTo(pointer, key);
        if (key.startsWith('x-')) {
          check(key, member, memberPointer, place);
        } else if (NAME_MAPS.has(key) && isObject(member)) {
          visitNamed(member, memberPointer, key);
        } else if (!DATA_KEYS.has(key)) {
          visit(member, memberPointer, key);
        }
      }
    }
  }

  function visitNamed(map: JsonObject, pointer: string, mapKey: string): void {
    for (const [name, member] of Object.entries(map)) {
      visit(member, pointerTo(pointer, name), mapKey);
    }
  }

  visit(root, '', '');
  if (strict) checkPublicData(root, secretPointers, { secretName, issues });
}

/** The middleware and its secret belong together (docs/contract.md#public-data-middleware). */
function checkPublicData(
  root: JsonObject,
  pointers: readonly string[],
  { secretName, issues }: Pick<ToolDomain, 'secretName'> & Pick<CompileContext, 'issues'>,
): void {
  if (isPublicData(root) && pointers.length === 0) {
    issues.add('/x-public-data', `x-public-data is only for presets that use ${secretName}.`);
  }
  for (const pointer of isPublicData(root) ? [] : pointers) {
    issues.add(pointer, `A preset that uses ${secretName} needs x-public-data: true.`);
  }
}

function placeOf(value: JsonObject, pointer: string, parentKey: string): Place {
  if (pointer === '') return 'root';
  if (parentKey === 'securitySchemes') return 'security scheme';
  if (parentKey === 'parameters') return 'parameter';
  const isOperation = METHODS.has(parentKey) && /^\/(paths|components\/pathItems)\//.test(pointer);
  return isOperation && !Object.hasOwn(value, '$ref') ? 'operation' : 'schema';
}

function extensionIssue(
  key: string,
  { places, check }: Extension,
  value: unknown,
  place: Place,
): string | undefined {
  if (!places.includes(place)) {
    return `${key} has no effect here. Allowed in: ${places.join(', ')}.`;
  }
  const issue = check(value);
  return issue ? `${key} ${issue}.` : undefined;
}

/** What a stranger's extension does not do, and why. */
function strangerIssue(
  key: string,
  extension: Extension,
  value: unknown,
  { place, pointer }: { readonly place: Place; readonly pointer: string },
): string | undefined {
  if (PRESETS_ONLY.has(key)) return `${key} is only for presets. It was ignored.`;
  const issue = extensionIssue(key, extension, value, place);
  if (issue) return `${issue} It was ignored.`;
  if (key === 'x-read-only' && value === true && !/\/(post|get|head)\/[^/]*$/.test(pointer)) {
    return 'x-read-only only has an effect on POST. It was ignored.';
  }
  return key === 'x-cache-ttl' && Number(value) > MAX_STRANGERS_TTL_SECONDS
    ? `x-cache-ttl is more than a day. ${MAX_STRANGERS_TTL_SECONDS} seconds are used.`
    : undefined;
}

/** Checks unknown keys, each once: vendors repeat theirs in every schema. */
function createKeyCheck(
  extensions: Extensions,
  strict: boolean,
): (key: string) => string | undefined {
  // Compared without the common prefix, with which short names would seem closer than they are.
  const names = [...extensions.keys()].map((name) => name.slice(2));
  const issues = new Map<string, string | undefined>();

  function issueOf(key: string): string | undefined {
    const meant = closest(key.slice(2), names);
    if (meant) return `Unknown extension ${key}. Did you mean x-${meant}?`;
    return strict
      ? `Unknown extension ${key}. Known: ${[...extensions.keys()].join(', ')}.`
      : undefined;
  }

  return (key) => {
    if (!issues.has(key)) issues.set(key, issueOf(key));
    return issues.get(key);
  };
}
