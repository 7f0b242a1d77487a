import type { CatalogEntry } from '../../../tools/catalog-entry.ts';
import type { CodeEncoding } from '../shared/code-methods.ts';
import { inputSchemaOf, toolAnnotations, toolMeta } from '../shared/tool-meta.ts';
import type { ToolEncoding } from '../shared/tool-methods.ts';

/** `Tool` of the revisions up to 2025-11-25. `title` was added in 2025-06-18; older clients ignore it. */
function toTool(entry: CatalogEntry): object {
  const { tool, description } = entry;
  const title = tool.title ?? tool.name;
  return {
    name: tool.name,
    title,
    description,
    inputSchema: inputSchemaOf(entry),
    annotations: { ...toolAnnotations(entry), title },
    ...toolMeta(entry),
  };
}

/** How the revisions from 2024-11-05 to 2025-11-25 encode results. */
export const LEGACY_ENCODING: ToolEncoding = {
  toTool,
  listMembers: '',
  callMembers: (meta) => `,"_meta":{${meta}}`,
};

/** Before 2026-07-28, results about codes have no further members. */
export const LEGACY_CODES: CodeEncoding = { cached: {}, other: {} };
