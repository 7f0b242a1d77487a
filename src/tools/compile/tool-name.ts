import { createHash } from 'node:crypto';
import { ownText } from '../../platform/kernel/plain-json.ts';
import { MAX_TOOL_NAME_LENGTH } from '../document/document-limits.ts';
import type { CompileContext } from './compile-context.ts';
import type { Operation } from './list-operations.ts';

/** Tool name of an operation: `getUltraSrtNcst` -> `getultrasrtncst` (docs/contract.md#preset-definition-files). */
export function toolName(operationId: string): string {
  return operationId.replaceAll(/[^A-Za-z0-9]/g, '_').toLowerCase();
}

/** Tool name of an operation without an operationId: `GET /users/{id}` -> `get_users_id`. */
export function toolNameOfPath(method: string, path: string): string {
  const words = path.match(/[A-Za-z0-9]+/g) ?? ['root'];
  return [method, ...words].join('_').toLowerCase();
}

/** Cuts a name to the length that model APIs accept. A digest of the whole name keeps it distinct. */
export function shortenToolName(name: string): string {
  if (name.length <= MAX_TOOL_NAME_LENGTH) return name;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${name.slice(0, MAX_TOOL_NAME_LENGTH - 1 - digest.length)}_${digest}`;
}

const idOf = ({ value }: Operation): string | undefined => {
  const id = ownText(value, 'operationId');
  return id && /[A-Za-z0-9]/.test(id) ? id : undefined;
};

/** The name of a preset's tool. Undefined, with an issue, if the operation has no operationId. */
export function presetToolName(
  operation: Operation,
  { refuse, warn }: CompileContext,
): string | undefined {
  const id = idOf(operation);
  if (id === undefined) {
    const message = 'The operation needs an operationId that contains letters or digits.';
    refuse(operation.pointer, message);
    return undefined;
  }
  const pointer = `${operation.pointer}/operationId`;
  if (id.length > MAX_TOOL_NAME_LENGTH) {
    refuse(
      pointer,
      `The operationId is longer than ${MAX_TOOL_NAME_LENGTH} characters. Shorten it.`,
    );
  }
  const name = shortenToolName(toolName(id));
  if (name !== id) warn(pointer, `The operationId "${id}" becomes the tool name "${name}".`);
  return name;
}

/** The tool name of a stranger's operation, and why it differs from the name that the document gives. */
export interface OperationName {
  readonly name: string;
  readonly change: string | undefined;
}

/**
 * Names a stranger's operations, in their order. The first operation in the document keeps a name that several have; the
 * others are named from method and path, which stay the same when the document's order changes.
 */
export function nameOperations(operations: readonly Operation[]): OperationName[] {
  const wanted = operations.map((operation) => {
    const id = idOf(operation);
    const { method, path } = operation;
    return shortenToolName(id === undefined ? toolNameOfPath(method, path) : toolName(id));
  });
  const taken = new Set(wanted);
  return operations.map((operation, at) => {
    const original = wanted[at] ?? '';
    const isFirst = wanted.indexOf(original) === at;
    const name = isFirst ? original : freeName(operation, taken);
    taken.add(name);
    return { name, change: changeOf(idOf(operation), original, name) };
  });
}

function freeName({ method, path }: Operation, taken: ReadonlySet<string>): string {
  const name = shortenToolName(toolNameOfPath(method, path));
  let candidate = name;
  for (let number = 2; taken.has(candidate); number++) {
    const end = `_${number}`;
    candidate = name.slice(0, MAX_TOOL_NAME_LENGTH - end.length) + end;
  }
  return candidate;
}

function changeOf(id: string | undefined, wanted: string, name: string): string | undefined {
  if (wanted !== name) {
    return id === undefined
      ? `Several operations without an operationId would be named "${wanted}". This one is named "${name}". Set its operationId.`
      : `Another operation has the tool name "${wanted}". This one is named "${name}". Set a distinct operationId.`;
  }
  return id !== undefined && id.length > MAX_TOOL_NAME_LENGTH
    ? `The operationId is longer than ${MAX_TOOL_NAME_LENGTH} characters. The tool is named "${name}". Shorten it.`
    : undefined;
}
