import { closest } from '../platform/kernel/closest.ts';
import { GatewayError } from '../platform/kernel/error.ts';
import type { CatalogEntry } from '../tools/catalog-entry.ts';

/** For a tool that does not exist or that the caller may not use: the one that is meant, or else what to do next. */
export function unknownTool(
  name: string,
  listed: readonly CatalogEntry[],
  otherwise: string,
): GatewayError {
  const similar = closest(
    name,
    listed.map(({ tool }) => tool.name),
  );
  const next = similar ? `Did you mean ${similar}?` : otherwise;
  return new GatewayError('tool_not_found', `Unknown tool ${quotedName(name)}. ${next}`);
}

/** A name that a caller has sent, in part if it is long. */
export const quotedName = (name: string): string => JSON.stringify(name.slice(0, 100));
