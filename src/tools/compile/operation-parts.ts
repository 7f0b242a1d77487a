import { child, type Located, pointerTo } from '../../platform/kernel/json-pointer.ts';
import { type JsonObject, own } from '../../platform/kernel/plain-json.ts';
import { referenceOf } from '../document/resolve-reference.ts';
import type { CompileContext } from './compile-context.ts';
import type { Operation } from './operation.ts';

/** The servers of the document, or the address that a registration gives instead. */
export function documentServers({ root, options: { policy } }: CompileContext): Located {
  const baseUrl = policy.kind === 'registered' ? policy.baseUrl : undefined;
  const servers = baseUrl === undefined ? own(root, 'servers') : [{ url: baseUrl }];
  return { value: servers, pointer: '/servers' };
}

/** The closest list of servers: that of the operation, of the path item or of the document. */
export function serversOf(
  { value, pointer, pathItem }: Operation,
  context: CompileContext,
): Located {
  for (const [source, place] of [
    [value, pointer],
    [pathItem.value, pathItem.pointer],
  ] as const) {
    const servers = own(source, 'servers');
    if (Array.isArray(servers) && servers.length > 0) {
      return { value: servers, pointer: `${place}/servers` };
    }
  }
  return documentServers(context);
}

/** A list of parameters, of an operation or of a path item. */
export const parametersOf = ({ value, pointer }: Located<JsonObject>): Located => ({
  value: own(value, 'parameters'),
  pointer: `${pointer}/parameters`,
});

/** The request body. The upgrade from Swagger 2.0 leaves a reference to a shared body among the parameters. */
export function requestBodyOf(operation: Operation): Located | undefined {
  const value = own(operation.value, 'requestBody');
  if (value !== undefined) return { value, pointer: `${operation.pointer}/requestBody` };
  for (const { value: list, pointer } of [
    parametersOf(operation),
    parametersOf(operation.pathItem),
  ]) {
    const index = Array.isArray(list) ? list.findIndex(isSharedBody) : -1;
    if (index >= 0)
      return { value: child(list, String(index)), pointer: pointerTo(pointer, index) };
  }
  return undefined;
}

const isSharedBody = (value: unknown): boolean =>
  referenceOf(value)?.startsWith('#/components/requestBodies/') ?? false;
