import type { CatalogEntry } from '../../tools/catalog-entry.ts';
import type { JsonSchema, Tool } from '../../tools/model.ts';
import type { CodeFinder } from './code-finder.ts';

/** Bounds of the gateway's own tools. */
export const DOOR_LIMITS = {
  defaultHits: 10,
  hits: 25,
  described: 10,
  codes: 50,
  codeTextCharacters: 100,
} as const;

/** Names of the gateway's own tools. */
export const OWN_TOOL_NAMES = ['find_tools', 'describe_tools', 'call_tool', 'find_code'] as const;

export type OwnToolName = (typeof OWN_TOOL_NAMES)[number];

export const isOwnToolName = (name: string): name is OwnToolName =>
  (OWN_TOOL_NAMES as readonly string[]).includes(name);

/** The entries of the own tools, by name. `kinds` are the kinds of codes that `find_code` knows. */
export function createOwnTools({
  kinds,
  kindNote,
}: Pick<CodeFinder, 'kinds' | 'kindNote'>): Record<OwnToolName, CatalogEntry> {
  return {
    find_tools: entryOf({
      name: 'find_tools',
      title: 'Find tools',
      description: 'Search the tools in English or Korean. One line per hit, best first.',
      properties: {
        query: { type: 'string', minLength: 1, maxLength: 200 },
        limit: { type: 'integer', minimum: 1, maximum: DOOR_LIMITS.hits },
      },
      required: ['query'],
    }),
    describe_tools: entryOf({
      name: 'describe_tools',
      title: 'Describe tools',
      description: 'Arguments of tools. Read them before call_tool.',
      properties: {
        names: {
          type: 'array',
          items: { type: 'string', maxLength: 256 },
          minItems: 1,
          maxItems: DOOR_LIMITS.described,
        },
      },
      required: ['names'],
    }),
    call_tool: entryOf({
      name: 'call_tool',
      title: 'Call a tool',
      description: 'Call a tool that find_tools found.',
      properties: { name: { type: 'string' }, arguments: { type: 'object' } },
      required: ['name'],
      readOnly: false,
    }),
    find_code: entryOf({
      name: 'find_code',
      title: 'Find a code',
      description:
        'Codes that tools take, by name (Korean or English) or position: give text or near.',
      properties: {
        kind: {
          type: 'string',
          ...(kinds.length > 0 && { enum: [...kinds] }),
          ...(kindNote && { description: kindNote }),
        },
        text: { type: 'string', minLength: 1, maxLength: DOOR_LIMITS.codeTextCharacters },
        near: {
          type: 'object',
          properties: { lat: { type: 'number' }, lon: { type: 'number' } },
          required: ['lat', 'lon'],
        },
        limit: { type: 'integer', minimum: 1, maximum: DOOR_LIMITS.codes },
      },
      required: ['kind'],
    }),
  };
}

/** The same tool, declared as read-only because all tools that it may call are. */
export const asReadOnly = (entry: CatalogEntry): CatalogEntry => ({
  ...entry,
  tool: { ...entry.tool, annotations: annotationsOf(entry.tool.title ?? '', true) },
});

interface OwnTool {
  readonly name: OwnToolName;
  readonly title: string;
  readonly description: string;
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
  readonly readOnly?: boolean;
}

function entryOf(own: OwnTool): CatalogEntry {
  return {
    id: `gateway.${own.name}`,
    tool: toolOf(own),
    description: own.description,
    server: { id: 'gateway', name: 'Tool Gateway' },
    category: 'gateway',
    source: 'gateway',
    visibility: 'public',
    createdAt: new Date(0).toISOString(),
  };
}

const annotationsOf = (title: string, readOnly: boolean): Tool['annotations'] => ({
  title,
  readOnlyHint: readOnly,
  destructiveHint: !readOnly,
  openWorldHint: false,
});

/** A tool without an upstream: its arguments are its JSON body, which `find_code` reads in this process. */
function toolOf({
  name,
  title,
  description,
  properties,
  required,
  readOnly = true,
}: OwnTool): Tool {
  return {
    name,
    title,
    description,
    inputSchema: { type: 'object', properties, required, additionalProperties: false },
    widePatterns: {},
    annotations: annotationsOf(title, readOnly),
    method: 'POST',
    path: `/${name}`,
    baseUrl: 'https://gateway.invalid',
    parameters: [],
    body: {
      contentType: 'application/json',
      kind: 'json',
      required: true,
      lifted: Object.keys(properties),
      fixed: {},
      encoding: {},
    },
    isPublicData: false,
    alternative: null,
    cacheTtlSeconds: 0,
    stepBack: 0,
    personal: [],
    payload: {
      items: '',
      total: null,
      success: null,
      itemWrapper: null,
      columns: null,
      asOf: null,
    },
    source: {
      publisher: null,
      dataset: 'Code tables',
      docUrl: null,
      licence: { code: 'unknown', title: null, url: null },
      attribution: null,
      asOf: { kind: 'unknown' },
      missing: [],
    },
    view: { columns: {}, concise: null, pivot: null },
    searchHint: null,
    answersContent: false,
    secrets: [],
    version: `own:${name}`,
  };
}
