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
  const pathItem = pathItemAt(place, context);
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
    const written = { value, pointer: pointerTo(pathItem.pointer, key) };
    const { result: found, verdicts } = context.scope.collect(() =>
      context.references.followToObject(written),
    );
    const issue = verdicts.find(({ outcome }) => outcome === 'refused');
    const unread = issue && reject(issue.pointer, issue.message, context);
    const refusal = wrongStart ?? unread;
    if (!found && !refusal) return [];
    const { value: operation, pointer } = found ?? { ...written, value: {} };
    return { method, path, pathItem, value: operation, pointer, ...(refusal && { refusal }) };
  });
}

/**
 * The Path Item Object at a place. Beside a `$ref`, it has the members of both: OpenAPI leaves open what they mean there,
 * and authors write them to be read. Those at the place itself count first.
 */
function pathItemAt(place: Located, context: CompileContext): Located<JsonObject> | undefined {
  const target = context.references.followToObject(place);
  if (!target || target.value === place.value || !isObject(place.value)) return target;
  const { $ref: _, ...beside } = place.value;
  if (Object.keys(beside).length === 0) return target;
  return { value: { ...target.value, ...beside }, pointer: place.pointer };
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

/** The closest list of servers: of the operation, the path item or the document. */
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
