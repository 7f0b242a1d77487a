import { child, parsePointer } from '../../platform/kernel/json-pointer.ts';
import { isObject, own, ownObject, ownText } from '../../platform/kernel/plain-json.ts';

/** Keeps a `collectionFormat` that no style of OpenAPI 3 has. */
export const COLLECTION_FORMAT = 'x-collection-format';
/** Keeps `produces`, for which the upgrader would copy every response. */
export const PRODUCES = 'x-produces';

/** What stands between the items of a list. */
export const DELIMITERS: Readonly<Record<string, string>> = { ssv: ' ', tsv: '\t', pipes: '|' };

/** The formats that the upgrader carries over. */
const KEPT: Readonly<Record<string, readonly string[]>> = {
  query: ['csv', 'ssv', 'pipes', 'multi'],
  formData: ['csv', 'ssv', 'pipes', 'multi'],
  path: ['csv'],
  header: ['csv'],
};

type Mutable = Record<string, unknown>;

const URLENCODED = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data';

/**
 * Rewrites what the upgrade of Swagger 2.0 would lose: formats of lists, shared fields of forms, and the type of a form
 * without one. Changes the document, which must be a copy.
 */
export function keepSwagger(document: Mutable): void {
  for (const parameter of Object.values(ownObject(document, 'parameters'))) keepFormat(parameter);
  for (const item of Object.values(ownObject(document, 'paths'))) {
    if (!isObject(item)) continue;
    const shared = takeFields(item, document);
    for (const [method, operation] of Object.entries(item)) {
      if (!isObject(operation) || method === 'parameters') continue;
      keepForm(operation, WITH_BODY.has(method) ? shared : [], document);
    }
  }
}

const WITH_BODY = new Set(['post', 'put', 'patch', 'delete']);

const isField = (parameter: unknown): boolean => child(parameter, 'in') === 'formData';

/** The fields that all operations of a path share, which are moved to each of them. */
function takeFields(item: Mutable, document: Mutable): unknown[] {
  const list = parametersOf(item, document);
  if (list.length > 0) item['parameters'] = list.filter((parameter) => !isField(parameter));
  return list.filter(isField);
}

function keepForm(operation: Mutable, shared: readonly unknown[], document: Mutable): void {
  const given = parametersOf(operation, document);
  const names = new Set(given.filter(isField).map((field) => child(field, 'name')));
  const inherited = shared.filter((field) => !names.has(child(field, 'name')));
  const parameters = [...given, ...structuredClone(inherited)];
  if (parameters.length > 0) operation['parameters'] = parameters;
  const fields = parameters.filter(isField);
  if (fields.length === 0) return;
  const declared = [own(operation, 'consumes') ?? own(document, 'consumes') ?? []].flat();
  const forms = declared
    .map((type) => String(type).split(';')[0]?.trim().toLowerCase() ?? '')
    .filter((type) => type === URLENCODED || type === MULTIPART);
  const hasFile = fields.some((field) => child(field, 'type') === 'file');
  if (hasFile) operation['consumes'] = [MULTIPART];
  else operation['consumes'] = forms.length > 0 ? [...new Set(forms)] : [URLENCODED];
}

/** The list of parameters with the shared fields of forms in place: the upgrader would only leave references to them. */
function parametersOf(holder: Mutable, document: Mutable): unknown[] {
  const list = own(holder, 'parameters');
  if (!Array.isArray(list)) return [];
  return list.map((parameter: unknown) => {
    const reference = isObject(parameter) ? ownText(parameter, '$ref') : undefined;
    const [root, name = '', ...deeper] = reference?.startsWith('#/')
      ? parsePointer(reference.slice(1))
      : [];
    const target = child(own(document, 'parameters'), name);
    const isShared = root === 'parameters' && deeper.length === 0 && isField(target);
    const kept = isShared ? structuredClone(target) : parameter;
    keepFormat(kept);
    return kept;
  });
}

function keepFormat(parameter: unknown): void {
  if (!isObject(parameter) || own(parameter, 'type') !== 'array') return;
  const mutable = parameter as Mutable;
  const location = String(mutable['in']);
  if (location === 'formData') mutable['collectionFormat'] ??= 'csv';
  const format = mutable['collectionFormat'];
  const kept = Object.hasOwn(KEPT, location) ? KEPT[location] : undefined;
  if (kept === undefined || format === undefined || kept.includes(String(format))) return;
  mutable[COLLECTION_FORMAT] = format;
}
