import type { PresetServer, Tool } from './model.ts';

/** One tool as a caller sees it in the catalog. */
export interface CatalogEntry {
  /** `<preset id>.<tool name>` with `/` as `.` (docs/contract.md#identifiers). */
  readonly id: string;
  readonly tool: Tool;
  /** The tool's own, with a note where the gateway lacks a secret that it needs. */
  readonly description: string;
  readonly server: { readonly id: string; readonly name: string };
  readonly category: string;
  readonly source: 'preset' | 'registered';
  readonly visibility: 'public' | 'private';
  /** ISO 8601: when a preset was loaded, or an API registered. */
  readonly createdAt: string;
}

/** Does the gateway have the secret of this name? */
export type HasSecret = (name: string) => boolean;

/** The entries of one preset server. */
export function presetEntries(
  preset: PresetServer,
  createdAt: string,
  hasSecret: HasSecret = () => true,
): CatalogEntry[] {
  const server = { id: preset.id, name: preset.title };
  return preset.tools.map((tool) => ({
    id: `${preset.id.replaceAll('/', '.')}.${tool.name}`,
    tool,
    description: describe(tool, hasSecret),
    server,
    category: preset.category,
    source: 'preset',
    visibility: 'public',
    createdAt,
  }));
}

function describe({ description, secrets }: Tool, hasSecret: HasSecret): string {
  const missing = secrets.filter((name) => !hasSecret(name));
  if (missing.length === 0) return description;
  const [noun, verb] = missing.length === 1 ? ['secret', 'is'] : ['secrets', 'are'];
  return `${description} Needs the ${noun} ${missing.join(' and ')}, which ${verb} not set on this gateway.`;
}
