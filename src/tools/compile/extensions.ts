import type { FaultList } from '../document/definition-error.ts';
import { closest } from '../edit-distance.ts';
import { isJsonPointer, isObject, type JsonObject, own, pointerTo } from '../plain-json.ts';
import { computedDefaultFault } from './computed-default-rule.ts';
import { successRuleFault } from './success-rule.ts';

type Place = 'root' | 'operation' | 'parameter' | 'security scheme' | 'schema';

interface Extension {
  readonly places: readonly Place[];
  /** What a right value looks like, when this one is not. */
  readonly fault: (value: unknown) => string | undefined;
}

const unless =
  (test: (value: unknown) => boolean, wanted: string) =>
  (value: unknown): string | undefined =>
    test(value) ? undefined : wanted;

const flag = unless((value) => typeof value === 'boolean', 'must be true or false');
const jsonPointer = unless(
  isJsonPointer,
  'must be a JSON pointer: "" or a text that begins with "/"',
);

const isName = (value: unknown): boolean => typeof value === 'string' && value !== '';

/** Each step back is one more request to the upstream within one call. */
const MAX_STEPS_BACK = 7;

/** The extensions of ours (docs/contract.md#preset-definition-files). */
const EXTENSIONS: ReadonlyMap<string, Extension> = new Map<string, Extension>([
  ['x-public-data', { places: ['root'], fault: flag }],
  [
    'x-secret',
    {
      places: ['security scheme', 'parameter'],
      fault: unless(
        (value) => typeof value === 'string' && /^[A-Z][A-Z0-9_]*$/.test(value),
        'must be the name of an environment variable, such as EXAMPLE_API_KEY',
      ),
    },
  ],
  [
    'x-fixed',
    {
      places: ['parameter', 'schema'],
      fault: unless((value) => value !== null, 'must be the value that is always sent, not null'),
    },
  ],
  [
    'x-cache-ttl',
    {
      places: ['root', 'operation'],
      fault: unless(
        (value) => Number.isInteger(value) && Number(value) >= 0,
        'must be a whole number of seconds, 0 for never',
      ),
    },
  ],
  ['x-grid', { places: ['operation'], fault: flag }],
  ['x-default', { places: ['parameter'], fault: computedDefaultFault }],
  [
    'x-step-back',
    {
      places: ['operation'],
      fault: unless(
        (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_STEPS_BACK,
        `must be a whole number from 1 to ${MAX_STEPS_BACK}`,
      ),
    },
  ],
  [
    'x-personal',
    {
      places: ['operation'],
      fault: unless(
        (value) => Array.isArray(value) && value.length > 0 && value.every(isName),
        'must be a list of argument names',
      ),
    },
  ],
  ['x-items', { places: ['root', 'operation'], fault: jsonPointer }],
  [
    'x-item-wrapper',
    {
      places: ['root', 'operation'],
      fault: unless(isName, 'must be the name of the member that holds the row'),
    },
  ],
  ['x-success', { places: ['root', 'operation'], fault: successRuleFault }],
  ['x-total', { places: ['root', 'operation'], fault: jsonPointer }],
  ['x-lift-body', { places: ['operation'], fault: flag }],
  ['x-mcp-content', { places: ['operation'], fault: flag }],
  ['x-read-only', { places: ['operation'], fault: flag }],
  ['x-open-world', { places: ['root', 'operation'], fault: flag }],
  [
    'x-confidence',
    {
      places: ['operation'],
      fault: unless(
        (value) => value === 'high' || value === 'medium' || value === 'low',
        'must be high, medium or low',
      ),
    },
  ],
]);

/** The secret that opens every dataset of data.go.kr. */
const PORTAL_KEY = 'PUBLIC_DATA_SERVICE_KEY';

/** Keys whose value maps names of the author's choosing to objects: the names are never extensions. */
const NAME_MAPS = new Set(
  (
    'properties patternProperties dependentSchemas $defs definitions schemas parameters headers responses ' +
    'examples requestBodies securitySchemes links callbacks pathItems content encoding variables mapping scopes'
  ).split(' '),
);

/** Keys whose value is the upstream's own data, in which `x-` means nothing to us. */
const DATA_KEYS = new Set(['example', 'default', 'enum', 'const', 'value']);

const METHODS = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']);

/**
 * Reports every `x-` key of ours that is misspelt or has a wrong value. In strict documents (the operator's own)
 * also unknown ones and those in the wrong place; strangers' documents may carry any vendor's keys, but may not
 * name a secret: it is the operator's, and the document says where it would be sent.
 */
export function checkExtensions(root: JsonObject, strict: boolean, faults: FaultList): void {
  const portalKeys: string[] = [];

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
          const fault = extensionFault(key, member, place, strict);
          if (fault) faults.add(memberPointer, fault);
          if (key === 'x-secret' && member === PORTAL_KEY) portalKeys.push(memberPointer);
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
  if (strict) checkPublicData(own(root, 'x-public-data') === true, portalKeys, faults);
}

/** The middleware and the data portal's key belong together (docs/contract.md#public-data-middleware). */
function checkPublicData(
  isPublicData: boolean,
  portalKeys: readonly string[],
  faults: FaultList,
): void {
  if (isPublicData && portalKeys.length === 0) {
    faults.add('/x-public-data', `x-public-data is for presets whose key is ${PORTAL_KEY}.`);
  }
  for (const pointer of isPublicData ? [] : portalKeys) {
    faults.add(pointer, `A preset whose key is ${PORTAL_KEY} needs x-public-data: true.`);
  }
}

function placeOf(value: JsonObject, pointer: string, parentKey: string): Place {
  if (pointer === '') return 'root';
  if (parentKey === 'securitySchemes') return 'security scheme';
  if (parentKey === 'parameters') return 'parameter';
  const isOperation = METHODS.has(parentKey) && /^\/(paths|components\/pathItems)\//.test(pointer);
  return isOperation && !Object.hasOwn(value, '$ref') ? 'operation' : 'schema';
}

function extensionFault(
  key: string,
  value: unknown,
  place: Place,
  strict: boolean,
): string | undefined {
  const extension = EXTENSIONS.get(key);
  if (!extension) return unknownKeyFault(key, strict);
  if (!extension.places.includes(place)) {
    return strict
      ? `${key} has no effect here; it belongs to: ${extension.places.join(', ')}.`
      : undefined;
  }
  if (key === 'x-secret' && !strict) return 'x-secret may only be used by presets.';
  const fault = extension.fault(value);
  return fault ? `${key} ${fault}.` : undefined;
}

function unknownKeyFault(key: string, strict: boolean): string | undefined {
  // Without their common beginning, or short names would seem closer than they are.
  const names = [...EXTENSIONS.keys()].map((name) => name.slice(2));
  const meant = closest(key.slice(2), names);
  if (meant) return `The extension ${key} is unknown. Did you mean x-${meant}?`;
  return strict
    ? `The extension ${key} is unknown. Known: ${[...EXTENSIONS.keys()].join(', ')}.`
    : undefined;
}

/** An extension of an operation, or the whole document's when the operation says nothing. */
export function extensionOf(name: string, operation: JsonObject, root: JsonObject): unknown {
  return own(operation, name) ?? own(root, name);
}
