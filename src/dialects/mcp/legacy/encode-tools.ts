import type { CatalogEntry } from '../../../tools/catalog-entry.ts';
import { encodeOnce } from '../../json-rpc/encode-once.ts';
import { isSafeTool } from '../../json-rpc/safe-tool.ts';

/** Makes the encoder of the `tools` of a list. */
export const createToolsEncoder = () =>
  encodeOnce((entries) => entries.filter(isSafeTool).map(toTool));

/** `Tool` of the revisions up to 2025-11-25; `title` came with 2025-06-18, and older clients pass it over. */
function toTool({ tool, description }: CatalogEntry): object {
  const title = tool.title ?? tool.name;
  return {
    name: tool.name,
    title,
    description,
    inputSchema: tool.inputSchema,
    annotations: { ...tool.annotations, title },
  };
}
