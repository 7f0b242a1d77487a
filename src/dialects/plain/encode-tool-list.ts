import type { CatalogEntry } from '../../tools/catalog-entry.ts';
import { encodeOnce } from '../json-rpc/encode-once.ts';

/** Makes the encoder of the result of `tools/list`. */
export const createToolListEncoder = () =>
  encodeOnce((entries) => ({ tools: entries.map(toListedTool) }));

/** A tool as listed by `tools/list` (docs/contract.md#list-tools). */
function toListedTool({ tool, description }: CatalogEntry): object {
  const { readOnlyHint, destructiveHint, openWorldHint } = tool.annotations;
  return {
    name: tool.name,
    description,
    inputSchema: tool.inputSchema,
    annotations: { readOnlyHint, destructiveHint, openWorldHint },
  };
}
