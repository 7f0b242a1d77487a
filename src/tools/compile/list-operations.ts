import { pointerTo } from '../../platform/kernel/json-pointer.ts';
import { isObject, type JsonObject, own } from '../../platform/kernel/plain-json.ts';
import type { HttpMethod } from '../model.ts';
import type { CompileContext } from './compile-context.ts';
import type { Finding } from './findings.ts';
import type { Operation } from './operation.ts';

const METHODS: readonly HttpMethod[] = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
];

/** Members of OpenAPI 3.2 with further methods, which do not become tools. */
const UNSUPPORTED_METHODS = ['query', 'additionalOperations'];

/** The operations of a document, in its order. */
export function listOperations(context: CompileContext): Operation[] {
  const paths = own(context.root, 'paths');
  if (!isObject(paths)) {
    context.refuseDocument('/paths', 'The document has no paths. Set `paths`.');
    return [];
  }
  return Object.keys(paths)
    .filter((path) => !path.startsWith('x-'))
    .flatMap((path) => operationsOf(path, paths, context));
}

function operationsOf(path: string, paths: JsonObject, context: CompileContext): Operation[] {
  const { references, warn } = context;
  const place = { value: own(paths, path), pointer: pointerTo('/paths', path) };
  const wrongStart = path.startsWith('/') ? undefined : reject(place.pointer, WRONG_START, context);
  const pathItem = references.followToObject(place);
  if (!pathItem) return [];
  for (const key of UNSUPPORTED_METHODS) {
    if (Object.hasOwn(pathItem.value, key)) {
      warn(pointerTo(pathItem.pointer, key), `"${key}" is not supported and was ignored.`);
    }
  }
  return METHODS.flatMap((method) => {
    const key = method.toLowerCase();
    const value = own(pathItem.value, key);
    if (value === undefined) return [];
    const pointer = pointerTo(pathItem.pointer, key);
    const isReadable = isObject(value);
    const refusal = wrongStart ?? (isReadable ? undefined : reject(pointer, NO_OBJECT, context));
    if (!isReadable && context.strict) return [];
    const operation = { value: isReadable ? value : {}, pointer, method, path, pathItem };
    return [refusal ? { ...operation, refusal } : operation];
  });
}

const WRONG_START = 'A path must start with "/".';
const NO_OBJECT = 'An operation must be an object.';

/** In a preset an issue; the operations of a stranger are refused one by one. */
function reject(
  pointer: string,
  message: string,
  { strict, issues }: CompileContext,
): Finding | undefined {
  if (!strict) return { pointer, message };
  issues.add(pointer, message);
  return undefined;
}
