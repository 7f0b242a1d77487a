import type { CatalogEntry } from '../../../tools/catalog-entry.ts';
import type { McpEncoding, SchemaForm } from '../shared/encode.ts';
import { toListedTool } from '../shared/listed-tool.ts';

/** `title` of a tool was added in 2025-06-18; older clients ignore it. */
function toTool(entry: CatalogEntry, form: SchemaForm): object {
  const tool = toListedTool(entry, form);
  return { ...tool, annotations: { ...tool.annotations, title: tool.title } };
}

/** How the revisions from 2024-11-05 to 2025-11-25 encode results. */
export const LEGACY_ENCODING: McpEncoding = {
  toTool,
  cached: {},
  other: {},
  callMembers: (meta) => `,"_meta":{${meta}}`,
};
