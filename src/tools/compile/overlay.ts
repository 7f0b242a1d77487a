import { isJsonPointer, parsePointer, valueAt } from '../../platform/kernel/json-pointer.ts';
import {
  isObject,
  type JsonObject,
  own,
  ownObject,
  ownText,
} from '../../platform/kernel/plain-json.ts';
import type { ChosenExtension } from '../proposal.ts';
import { isLicence, isPaging, isQuota, type ValueOf } from './extension-table.ts';
import { isName, mapOf, oneOf, textLike, textUpTo } from './guards.ts';
import { successIssue } from './success-rule.ts';

/** What an overlay says that a description cannot say itself. */
export interface OverlayFacts {
  /** The query parameter that carries the credential, by operation: `GET /path`. */
  readonly credentials: ReadonlyMap<string, string>;
  /** The kinds of codes of parameters, by operation. */
  readonly codeKinds: ReadonlyMap<string, CodeKinds>;
  /** Requests that the provider allows; null if the overlay does not say. */
  readonly quota: ValueOf<'x-quota'> | null;
}

/** By the names of parameters. */
export type CodeKinds = Readonly<Record<string, string>>;

type Draft = Record<string, unknown>;

/** How an extension for operations changes one. */
type Edit = (operation: Draft, value: unknown) => void;

/** Sets a member of each parameter that the value names. */
const onParameters =
  (change: (parameter: Draft, value: unknown) => void): Edit =>
  (operation, values) => {
    for (const [name, value] of Object.entries(Object(values))) {
      const parameter = parametersOf(operation).find((each) => nameOf(each) === name);
      if (parameter) change(parameter, value);
    }
  };

const setMember =
  (member: string): Edit =>
  (target, value) => {
    target[member] = value;
  };

const inSchema =
  (member: string) =>
  (parameter: Draft, value: unknown): void => {
    const schema: Draft = { ...ownObject(parameter, 'schema') };
    schema[member] = typed(schema, value);
    parameter['schema'] = schema;
  };

/** A text as the value that a schema of a number wants. */
function typed(schema: JsonObject, value: unknown): unknown {
  const isNumber = own(schema, 'type') === 'integer' || own(schema, 'type') === 'number';
  return isNumber &&
    typeof value === 'string' &&
    value.trim() !== '' &&
    Number.isFinite(Number(value))
    ? Number(value)
    : value;
}

const EDITS: Readonly<Record<string, Edit>> = {
  'x-fixed': onParameters(setMember('x-fixed')),
  'x-default': onParameters((parameter, value) => {
    parameter['x-default'] = value;
    parameter['required'] = false;
  }),
  'x-initial': onParameters((parameter, value) => {
    inSchema('default')(parameter, value);
    // Of a stranger's parameters, only the defaults of required ones are sent.
    parameter['required'] = true;
  }),
  'x-sample': onParameters((parameter, value) => {
    parameter['example'] = typed(ownObject(parameter, 'schema'), value);
  }),
  'x-code-kind': onParameters((parameter) => {
    const schema = ownObject(parameter, 'schema');
    const isPlain = own(schema, 'pattern') === undefined && own(schema, 'enum') === undefined;
    // A text without a digit is no code, and so a name.
    if (isPlain && own(schema, 'type') === 'string') inSchema('pattern')(parameter, '[0-9]');
  }),
  'x-tool-name': setMember('operationId'),
  'x-items': setMember('x-items'),
  'x-item-wrapper': setMember('x-item-wrapper'),
  'x-total': setMember('x-total'),
  'x-paging': setMember('x-paging'),
  'x-success': setMember('x-success'),
};

/** Extensions of the document. Every other one changes one operation. */
const OF_DOCUMENT = ['x-public-data', 'x-dataset', 'x-licence', 'x-quota'];

/** Extensions that change what is sent, and not the operation itself. */
const OF_CREDENTIAL = 'x-credential';
const EXCLUDED = 'x-exclude';
/** Its edit makes the parameter refuse names, so that they are looked up. */
const OF_CODES = 'x-code-kind';

/** The extensions that a registration may have beside its description. */
export const OVERLAY_EXTENSIONS: readonly string[] = [
  ...OF_DOCUMENT,
  OF_CREDENTIAL,
  EXCLUDED,
  ...Object.keys(EDITS),
];

const isPage = (value: unknown): boolean =>
  typeof value === 'string' &&
  value.length <= MAX_URL &&
  /^https?:$/.test(URL.parse(value)?.protocol ?? '');
const MAX_URL = 500;

const isParameterName = textLike(/^[^\s&=#]{1,100}$/);
const isToolName = textLike(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/);
/** Parameters of one operation. */
const MAX_PARAMETERS = 200;
const isValues = mapOf(
  (value): value is unknown =>
    ['number', 'boolean'].includes(typeof value) ||
    (typeof value === 'string' && value.length <= 1000),
  MAX_PARAMETERS,
);
const isNames = mapOf(textUpTo(100), MAX_PARAMETERS);
/** Codes of places, whose tables are the gateway's own. */
const PLACE_KINDS = ['district', 'legal_dong', 'asos_station'];
const isKinds = mapOf(oneOf(...PLACE_KINDS), MAX_PARAMETERS);

const isCalls = (value: unknown): boolean =>
  isQuota(value) && Object.keys(value).join() === 'calls';

type Check = (value: unknown) => string | undefined;

const wants =
  (accepts: (value: unknown) => boolean, wanted: string): Check =>
  (value) =>
    accepts(value) ? undefined : wanted;

const POINTER = wants(isJsonPointer, 'must be a JSON pointer, such as /response/body/items/item.');
const VALUES = wants(isValues, 'must map names of parameters to values.');

const CHECKS: Readonly<Record<string, Check>> = {
  'x-public-data': wants((value) => value === true, 'must be true.'),
  'x-dataset': wants(isPage, 'must be the address of the page of the dataset.'),
  'x-licence': wants(isLicence, 'must be {code, title, url}.'),
  'x-quota': wants(isCalls, 'must be {calls}: a whole number from 1.'),
  'x-credential': wants(isParameterName, 'must be the name of a query parameter.'),
  'x-exclude': wants((value) => value === true, 'must be true.'),
  'x-tool-name': wants(isToolName, 'must be 1 to 64 letters, digits, hyphens and underscores.'),
  'x-fixed': VALUES,
  'x-initial': VALUES,
  'x-sample': VALUES,
  'x-default': wants(isNames, 'must map names of parameters to names of computed defaults.'),
  'x-code-kind': wants(isKinds, `must map names of parameters to ${PLACE_KINDS.join(', ')}.`),
  'x-items': POINTER,
  'x-total': POINTER,
  'x-paging': wants(
    isPaging,
    'must be none, or name the arguments page, offset, cursor or lastId, and perhaps size, first and at.',
  ),
  'x-item-wrapper': wants(isName, 'must be the name of the member that holds the row.'),
  'x-success': (value) => successIssue(value),
};

/** What is wrong with an extension of an overlay, if anything. */
export function overlayIssue({ operation, extension, value }: ChosenExtension): string | undefined {
  const check = Object.hasOwn(CHECKS, extension) ? CHECKS[extension] : undefined;
  if (!check) return `has an unknown extension. Known: ${OVERLAY_EXTENSIONS.join(', ')}.`;
  const isOfDocument = OF_DOCUMENT.includes(extension);
  if (isOfDocument !== (operation === null)) {
    return isOfDocument
      ? `${extension} is for the document: leave operation out, or set it to null.`
      : `${extension} needs an operation, such as GET /path.`;
  }
  const issue = check(value);
  return issue && `${extension} ${issue}`;
}

/**
 * Applies extensions to a parsed description, which it changes. What names an operation or a parameter that the description
 * does not have has no effect: a later version of it may lack them.
 */
export function applyOverlay(
  root: JsonObject,
  extensions: readonly ChosenExtension[],
): OverlayFacts {
  const operations = inlineParameters(root);
  const credentials = new Map<string, string>();
  const codeKinds = new Map<string, CodeKinds>();
  for (const { operation: name, extension, value } of extensions) {
    if (name === null) applyToDocument(root as Draft, extension, value);
    const found = name === null ? undefined : operations.get(name);
    if (!found || name === null) continue;
    if (extension === EXCLUDED && value === true) delete found.item[found.method];
    else if (extension === OF_CREDENTIAL) {
      credentials.set(name, String(value));
      dropParameter(found.operation, String(value));
    } else if (Object.hasOwn(EDITS, extension)) EDITS[extension]?.(found.operation, value);
    if (extension === OF_CODES && isKinds(value)) {
      codeKinds.set(name, { ...codeKinds.get(name), ...value });
    }
  }
  const quota = extensions.find((each) => each.extension === 'x-quota')?.value;
  return { credentials, codeKinds, quota: isQuota(quota) ? quota : null };
}

function applyToDocument(root: Draft, extension: string, value: unknown): void {
  if (extension === 'x-public-data') root[extension] = value;
  if (extension === 'x-dataset') root['externalDocs'] = { url: value };
  if (extension === 'x-licence' && isLicence(value)) {
    const { code, title, url } = value;
    const license = { identifier: code, name: title ?? code, ...(url !== null && { url }) };
    root['info'] = { ...ownObject(root, 'info'), license };
  }
}

interface OwnOperation {
  readonly item: Draft;
  readonly method: string;
  readonly operation: Draft;
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** Gives each operation its own copy of the parameters of its path, with names that have no blanks around them. */
function inlineParameters(root: JsonObject): Map<string, OwnOperation> {
  const operations = new Map<string, OwnOperation>();
  for (const [path, item] of Object.entries(ownObject(root, 'paths'))) {
    if (!isObject(item)) continue;
    const draft = item as Draft;
    const shared = own(draft, 'parameters');
    for (const method of METHODS) {
      const operation = own(draft, method);
      if (!isObject(operation)) continue;
      const parameters = [shared, own(operation, 'parameters')].flatMap((list) =>
        Array.isArray(list) ? list.map((each) => copyOf(root, each)) : [],
      );
      const byName = new Map(parameters.map((each) => [keyOf(each), each]));
      const changed: Draft = { ...operation, parameters: [...byName.values()] };
      draft[method] = changed;
      operations.set(`${method.toUpperCase()} ${path}`, {
        item: draft,
        method,
        operation: changed,
      });
    }
    delete draft['parameters'];
  }
  return operations;
}

const keyOf = (parameter: unknown): unknown =>
  isObject(parameter) && nameOf(parameter) !== undefined
    ? `${String(own(parameter, 'in'))} ${nameOf(parameter)}`
    : parameter;

/** What a reference leads to beyond the document stays a reference. */
function copyOf(root: JsonObject, value: unknown): unknown {
  const reference = isObject(value) ? ownText(value, '$ref') : undefined;
  const target = reference?.startsWith('#/components/parameters/')
    ? valueAt(root, parsePointer(reference.slice(1)))
    : value;
  if (!isObject(target)) return value;
  const name = nameOf(target);
  return name === undefined ? { ...target } : { ...target, name: name.trim() };
}

const nameOf = (parameter: JsonObject): string | undefined => ownText(parameter, 'name');

const parametersOf = (operation: Draft): Draft[] =>
  (own(operation, 'parameters') as readonly unknown[]).filter(isObject) as Draft[];

function dropParameter(operation: Draft, name: string): void {
  const isOther = (parameter: Draft) =>
    own(parameter, 'in') !== 'query' || nameOf(parameter)?.toLowerCase() !== name.toLowerCase();
  operation['parameters'] = (own(operation, 'parameters') as unknown[]).filter(
    (each) => !isObject(each) || isOther(each as Draft),
  );
}
