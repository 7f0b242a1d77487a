import { ownText } from '../../platform/kernel/plain-json.ts';
import { MAX_TOOL_NAME_LENGTH } from '../document/document-limits.ts';
import type { Operation } from './operation.ts';
import { shortenToolName, toolName, toolNameOfPath } from './tool-name.ts';

/** The tool name of a stranger's operation, and why it is not the one that the document gives. */
export interface OperationName {
  readonly name: string;
  readonly change: string | null;
}

/**
 * Names a stranger's operations. The first operation in the document keeps a name that several have; the others are
 * named from method and path, which stay the same when the document's order changes.
 */
export function nameOperations(
  operations: readonly Operation[],
): ReadonlyMap<Operation, OperationName> {
  const wanted = operations.map((operation) => shortenToolName(wantedName(operation)));
  const taken = new Set(wanted);
  const owners = new Set<string>();
  const names = new Map<Operation, OperationName>();
  for (const [index, operation] of operations.entries()) {
    const name = wanted[index] ?? '';
    const isFirst = !owners.has(name);
    owners.add(name);
    const given = isFirst ? name : freeName(operation, taken);
    taken.add(given);
    names.set(operation, { name: given, change: changeOf(operation, name, given) });
  }
  return names;
}

const idOf = ({ value }: Operation): string | undefined => {
  const id = ownText(value, 'operationId');
  return id && /[A-Za-z0-9]/.test(id) ? id : undefined;
};

function wantedName(operation: Operation): string {
  const id = idOf(operation);
  return id === undefined ? toolNameOfPath(operation.method, operation.path) : toolName(id);
}

function freeName({ method, path }: Operation, taken: ReadonlySet<string>): string {
  const name = shortenToolName(toolNameOfPath(method, path));
  if (!taken.has(name)) return name;
  for (let number = 2; ; number++) {
    const end = `_${number}`;
    const candidate = `${name.slice(0, MAX_TOOL_NAME_LENGTH - end.length)}${end}`;
    if (!taken.has(candidate)) return candidate;
  }
}

function changeOf(operation: Operation, wanted: string, given: string): string | null {
  const id = idOf(operation);
  if (wanted !== given) {
    return id === undefined
      ? `Several operations without an operationId would be named "${wanted}". This one is named "${given}". Set its operationId.`
      : `Another operation has the tool name "${wanted}". This one is named "${given}". Set a distinct operationId.`;
  }
  return id !== undefined && id.length > MAX_TOOL_NAME_LENGTH
    ? `The operationId is longer than ${MAX_TOOL_NAME_LENGTH} characters. The tool is named "${given}". Shorten it.`
    : null;
}
