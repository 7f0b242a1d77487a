import type { PresetServer, Tool } from './model.ts';
import type { ToolConnection } from './tool-connection.ts';

export interface CatalogEntry {
  /** `<preset id>.<tool name>` with `/` as `.`, or `@<tenant>.<slug>.<tool>` (docs/contract.md#identifiers). */
  readonly id: string;
  readonly tool: Tool;
  /** The tool's description, with a note if the gateway lacks a secret that the tool needs, or cannot use it. */
  readonly description: string;
  readonly server: { readonly id: string; readonly name: string };
  readonly category: string;
  /** `gateway`: one of the gateway's own tools, which have no upstream. */
  readonly source: 'preset' | 'registered' | 'gateway';
  /** When the preset was loaded or the API was registered, in ISO 8601. */
  readonly createdAt: string;
  /** How its calls reach the upstream, if not as the calls of presets do. */
  readonly connection?: ToolConnection;
}

export type HasSecret = (name: string) => boolean;

/** What callers should know of a tool before they call it, such as that its key is not approved; undefined if nothing. */
export type NoteOn = (entry: Pick<CatalogEntry, 'tool' | 'server'>) => string | undefined;

/** What is known of the keys with which presets are called: the operator's, or one tenant's. */
export interface PresetNotes {
  readonly hasSecret: HasSecret;
  readonly noteOn: NoteOn;
}

/** The description of a tool, with what callers should know of its keys. */
export const presetDescription = (
  { tool, server }: Pick<CatalogEntry, 'tool' | 'server'>,
  { hasSecret, noteOn }: PresetNotes,
): string => [describe(tool, hasSecret), noteOn({ tool, server }) ?? []].flat().join(' ');

export function presetEntries(
  preset: PresetServer,
  createdAt: string,
  notes: PresetNotes = { hasSecret: () => true, noteOn: () => undefined },
): CatalogEntry[] {
  const server = { id: preset.id, name: preset.title };
  return preset.tools.map((tool) => ({
    id: toolId(server.id, tool.name),
    tool,
    description: presetDescription({ tool, server }, notes),
    server,
    category: preset.category,
    source: 'preset',
    createdAt,
  }));
}

/** A registered API, as far as the catalog shows it. */
export interface RegisteredApi extends Pick<CatalogEntry, 'category' | 'createdAt' | 'connection'> {
  readonly tenantSlug: string;
  /** Identifies the API within its tenant. */
  readonly slug: string;
  readonly title: string;
  /** They have the names of the description. */
  readonly tools: readonly Tool[];
  /** The name under which each tool is listed, as it was stored. */
  readonly names: readonly string[];
}

/** The entries of one registered API. Their ids stay the same if a tool has another name for some tenant. */
export function registeredEntries(api: RegisteredApi): CatalogEntry[] {
  const { tenantSlug, slug, title, category, createdAt, connection } = api;
  const server = { id: `@${tenantSlug}/${slug}`, name: title };
  return api.tools.map((tool, at) => {
    const name = api.names[at] ?? tool.name;
    return {
      id: registeredToolId(api, name),
      tool: { ...tool, name },
      description: tool.description,
      server,
      category,
      source: 'registered',
      createdAt,
      ...(connection && { connection }),
    };
  });
}

/** The id of a registered tool, by the name that was stored for it (docs/contract.md#identifiers). */
export const registeredToolId = (
  { tenantSlug, slug }: Pick<RegisteredApi, 'tenantSlug' | 'slug'>,
  name: string,
): string => `@${tenantSlug}.${slug}.${name}`;

const toolId = (serverId: string, toolName: string): string =>
  `${serverId.replaceAll('/', '.')}.${toolName}`;

/** The name of a server within its category or its tenant: the middle of the ids of its tools. */
export const slugOf = ({ id }: Pick<CatalogEntry, 'id'>): string => id.split('.')[1] ?? '';

function describe({ description, secrets }: Tool, hasSecret: HasSecret): string {
  const missing = secrets.filter((name) => !hasSecret(name));
  if (missing.length === 0) return description;
  const [noun, verb] = missing.length === 1 ? ['secret', 'is'] : ['secrets', 'are'];
  return `${description} Needs the ${noun} ${missing.join(' and ')}, which ${verb} not set on this gateway.`;
}
