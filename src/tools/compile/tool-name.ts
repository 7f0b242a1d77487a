import { createHash } from 'node:crypto';
import { MAX_TOOL_NAME_LENGTH } from '../document/document-limits.ts';

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
