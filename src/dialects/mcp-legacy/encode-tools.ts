import type { CatalogEntry } from '../../catalog/catalog-entry.ts';
import { isSafeTool } from '../safe-tool.ts';

/** Encodes the `tools` of a list, once for every list that the catalog hands out. */
export function createToolsEncoder(): (entries: readonly CatalogEntry[]) => Buffer {
  const known = new WeakMap<readonly CatalogEntry[], Buffer>();
  return (entries) => {
    const encoded =
      known.get(entries) ?? Buffer.from(JSON.stringify(entries.filter(isSafeTool).map(toTool)));
    known.set(entries, encoded);
    return encoded;
  };
}

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
