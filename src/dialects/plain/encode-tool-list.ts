import type { CatalogEntry } from '../../catalog/catalog-entry.ts';

/** Encodes the result of `tools/list`, once for every list of entries that the catalog hands out. */
export function createToolListEncoder(): (entries: readonly CatalogEntry[]) => Buffer {
  const encoded = new WeakMap<readonly CatalogEntry[], Buffer>();
  return (entries) => {
    const known = encoded.get(entries);
    if (known) return known;
    const bytes = Buffer.from(JSON.stringify({ tools: entries.map(toListedTool) }));
    encoded.set(entries, bytes);
    return bytes;
  };
}

/** Specification "Tool as listed by tools/list". */
function toListedTool({ tool, description }: CatalogEntry): object {
  const { readOnlyHint, destructiveHint, openWorldHint } = tool.annotations;
  return {
    name: tool.name,
    description,
    inputSchema: tool.inputSchema,
    annotations: { readOnlyHint, destructiveHint, openWorldHint },
  };
}
