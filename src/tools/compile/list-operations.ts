import { child, type Located, pointerTo } from '../../platform/kernel/json-pointer.ts';
import { isObject, type JsonObject, own } from '../../platform/kernel/plain-json.ts';
import { referenceOf } from '../document/resolve-reference.ts';
import type { HttpMethod } from '../model.ts';
import type { CompileContext } from './compile-context.ts';
import type { Finding } from './findings.ts';

/** An Operation Object, with its method, its path and the Path Item Object around it. */
export interface Operation extends Located<JsonObject> {
  readonly method: HttpMethod;
  readonly path: string;
  readonly pathItem: Located<JsonObject>;
  /** Why a stranger's operation was refused before it was read. */
  readonly refusal?: Finding;
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const;

/** Members of OpenAPI 3.2 with further methods, which do not become tools. */
const UNSUPPORTED_METHODS = ['query', 'additionalOperations'];

/** The operations of a document, in its order. */
export function listOperations(context: CompileContext): Operation[] {
  const paths = own(context.root, 'paths');
  if (!isObject(paths)) {
    context.refuseDocument('/paths', 'The document has no paths. Set `paths`.');
    return [];
  }
  return Object.entries(paths)
    .filter(([path]) => !path.startsWith('x-'))
    .flatMap(([path, value]) => operationsOf(path, value, context));
}

function operationsOf(path: string, item: unknown, context: CompileContext): Operation[] {
  const place = { value: item, pointer: pointerTo('/paths', path) };
  const wrongStart = path.startsWith('/')
    ? undefined
    : reject(place.pointer, 'A path must start with "/".', context);
  const pathItem = context.references.followToObject(place);
  if (!pathItem) return [];
  for (const key of UNSUPPORTED_METHODS) {
    if (!Object.hasOwn(pathItem.value, key)) continue;
    const message = `"${key}" is not supported and was ignored.`;
    context.warn(pointerTo(pathItem.pointer, key), message);
  }
  return METHODS.flatMap((method) => {
    const key = method.toLowerCase();
    const value = own(pathItem.value, key);
    if (value === undefined) return [];
    const operation = { pointer: pointerTo(pathItem.pointer, key), method, path, pathItem };
    if (isObject(value)) return { ...operation, value, ...(wrongStart && { refusal: wrongStart }) };
    const noObject = reject(operation.pointer, 'An operation must be an object.', context);
    const refusal = wrongStart ?? noObject;
    return refusal ? { ...operation, value: {}, refusal } : [];
  });
}

/** In a preset an issue; the operations of a stranger are refused one by one. */
function reject(
  pointer: string,
  message: string,
  { strict, refuse }: CompileContext,
): Finding | undefined {
  if (!strict) return { pointer, message };
  refuse(pointer, message);
  return undefined;
}

/** The servers of the document, or the address that a registration gives instead. */
export function documentServers({ root, options: { policy } }: CompileContext): Located {
  const baseUrl = policy.kind === 'registered' ? policy.baseUrl : undefined;
  const servers = baseUrl === undefined ? own(root, 'servers') : [{ url: baseUrl }];
  return { value: servers, pointer: '/servers' };
}

/** The closest list of servers: that of the operation, of the path item or of the document. */
export function serversOf(operation: Operation, context: CompileContext): Located {
  for (const { value, pointer } of [operation, operation.pathItem]) {
    const servers = own(value, 'servers');
    if (Array.isArray(servers) && servers.length > 0) {
      return { value: servers, pointer: `${pointer}/servers` };
    }
  }
  return documentServers(context);
}

export const parametersOf = ({ value, pointer }: Located<JsonObject>): Located => ({
  value: own(value, 'parameters'),
  pointer: `${pointer}/parameters`,
});

/** The request body. The upgrade from Swagger 2.0 leaves a reference to a shared body among the parameters. */
export function requestBodyOf(operation: Operation): Located | undefined {
  const value = own(operation.value, 'requestBody');
  if (value !== undefined) return { value, pointer: `${operation.pointer}/requestBody` };
  for (const { value: list, pointer } of [operation, operation.pathItem].map(parametersOf)) {
    const index = Array.isArray(list) ? list.findIndex(isSharedBody) : -1;
    if (index >= 0) return { value: child(list, `${index}`), pointer: pointerTo(pointer, index) };
  }
  return undefined;
}

const isSharedBody = (value: unknown): boolean =>
  referenceOf(value)?.startsWith('#/components/requestBodies/') ?? false;
