import { overBudget, SMALL_BYTES } from '../../platform/kernel/byte-budget.ts';
import type { RouteRequest } from '../route.ts';

/** Upper bound of the memory that a parsed body takes (string, objects, arrays), for each byte of the body. */
const PARSED_BYTES_PER_BYTE = 8;

/** Reserves the memory for parsing a large body. Small bodies are not counted. Throws `overloaded`. */
export function reserveForParsing({ body, lease }: Pick<RouteRequest, 'body' | 'lease'>): void {
  if (body === null || body.length <= SMALL_BYTES) return;
  if (!lease().take(PARSED_BYTES_PER_BYTE * body.length)) throw overBudget();
}
