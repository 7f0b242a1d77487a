import type { PresetServer, Tool } from '../openapi/tool.ts';

/** One tool as a caller sees it in the catalog. */
export interface CatalogEntry {
  /** `<preset id>.<tool name>` with `/` as `.` (contract "GET /api/v1/tools"). */
  readonly id: string;
  readonly tool: Tool;
  readonly server: { readonly id: string; readonly name: string };
  readonly category: string;
  readonly source: 'preset' | 'registered';
  readonly visibility: 'public' | 'private';
  /** ISO 8601: when a preset was loaded, or an API registered. */
  readonly createdAt: string;
}

/** The entries of one preset server. */
export function presetEntries(preset: PresetServer, createdAt: string): CatalogEntry[] {
  const server = { id: preset.id, name: preset.title };
  return preset.tools.map((tool) => ({
    id: `${preset.id.replaceAll('/', '.')}.${tool.name}`,
    tool,
    server,
    category: preset.category,
    source: 'preset',
    visibility: 'public',
    createdAt,
  }));
}
