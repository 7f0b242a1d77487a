import { ownText } from '../../platform/kernel/plain-json.ts';
import { MAX_OPERATIONS, MAX_REGISTERED_OPERATIONS } from '../document/document-limits.ts';
import { matchesPattern } from '../match-pattern.ts';
import type { CompileContext } from './compile-context.ts';
import type { OperationFilter, RegisteredPolicy } from './compile-policy.ts';
import { hasTag } from './list-tags.ts';
import type { Operation } from './operation.ts';

/** The operations that are to become tools. An issue of the document if there are too many. */
export function selectOperations(
  operations: readonly Operation[],
  context: CompileContext,
): readonly Operation[] {
  const { policy } = context.options;
  if (operations.length > MAX_OPERATIONS) return refuseMany(MAX_OPERATIONS, 'Split it.', context);
  if (policy.kind === 'preset') return operations;
  const selected = operations.filter((operation) => isSelected(operation, policy));
  if (selected.length > MAX_REGISTERED_OPERATIONS) {
    return refuseMany(MAX_REGISTERED_OPERATIONS, 'Choose some with include or exclude.', context);
  }
  if (operations.length === 0) context.warn('/paths', 'The document has no operations.');
  else if (selected.length === 0) {
    context.warn('/paths', 'include and exclude leave no operation. Change them.');
  }
  return selected;
}

function refuseMany(most: number, advice: string, { refuseDocument }: CompileContext) {
  refuseDocument('/paths', `The document has more than ${most} operations. ${advice}`);
  return [];
}

const isSelected = (operation: Operation, { include, exclude }: RegisteredPolicy): boolean =>
  (include === undefined || include.some((filter) => matches(operation, filter))) &&
  !exclude?.some((filter) => matches(operation, filter));

function matches({ value, method, path }: Operation, filter: OperationFilter): boolean {
  return (
    (filter.tag === undefined || hasTag(value, filter.tag)) &&
    (filter.method === undefined || filter.method.toUpperCase() === method) &&
    (filter.path === undefined || matchesPattern(filter.path, path)) &&
    (filter.operationId === undefined ||
      matchesPattern(filter.operationId, ownText(value, 'operationId') ?? ''))
  );
}
