import type { CatalogEntry } from '../../tools/catalog-entry.ts';
import type { JsonSchema, PresetServer } from '../../tools/model.ts';
import type { CodeFinder } from './code-finder.ts';

export const GATEWAY_TOOL_LIMITS = {
  defaultHits: 10,
  hits: 25,
  described: 10,
  codes: 50,
  codeTextCharacters: 100,
} as const;

export const GATEWAY_TOOL_NAMES = [
  'find_tools',
  'describe_tools',
  'call_tool',
  'find_code',
] as const;

export type GatewayToolName = (typeof GATEWAY_TOOL_NAMES)[number];

export const isGatewayToolName = (name: string): name is GatewayToolName =>
  (GATEWAY_TOOL_NAMES as readonly string[]).includes(name);

/** The entries of the own tools, by name. */
export type GatewayTools = Readonly<Record<GatewayToolName, CatalogEntry>>;

/** Characters of the topics that a model reads before it searches. */
const MAX_TOPICS = 400;

/** What these presets are about, in a word or two each: a model that does not know it does not search. */
export function topicsOf(servers: readonly Pick<PresetServer, 'topic' | 'title'>[]): string {
  let text = '';
  for (const topic of new Set(servers.map(({ topic, title }) => topic?.en ?? title))) {
    const longer = text === '' ? topic : `${text}, ${topic}`;
    if (longer.length > MAX_TOPICS) return `${text}, ...`;
    text = longer;
  }
  return text;
}

/** `kinds` are the kinds of codes that `find_code` knows, `topics` those that `find_tools` names. */
export const createGatewayTools = (
  { kinds, kindNote }: Pick<CodeFinder, 'kinds' | 'kindNote'>,
  topics: string,
): GatewayTools => ({
  find_tools: ownEntry({
    name: 'find_tools',
    title: 'Find tools',
    description: `Search the tools in English or Korean. One line per hit, best first. Ranges take one call (_over).${topics && ` Topics: ${topics}.`}`,
    properties: {
      query: { type: 'string', minLength: 1, maxLength: 200 },
      limit: { type: 'integer', minimum: 1, maximum: GATEWAY_TOOL_LIMITS.hits },
    },
    required: ['query'],
  }),
  describe_tools: ownEntry({
    name: 'describe_tools',
    title: 'Describe tools',
    description:
      'Arguments of tools. Read them before call_tool. _group, _calc: figures; _link: a file.',
    properties: {
      names: {
        type: 'array',
        items: { type: 'string', maxLength: 256 },
        minItems: 1,
        maxItems: GATEWAY_TOOL_LIMITS.described,
      },
    },
    required: ['names'],
  }),
  call_tool: ownEntry({ ...CALL_TOOL, readOnly: false }),
  find_code: ownEntry({
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
      text: { type: 'string', minLength: 1, maxLength: GATEWAY_TOOL_LIMITS.codeTextCharacters },
      near: {
        type: 'object',
        properties: { lat: { type: 'number' }, lon: { type: 'number' } },
        required: ['lat', 'lon'],
      },
      limit: { type: 'integer', minimum: 1, maximum: GATEWAY_TOOL_LIMITS.codes },
    },
    required: ['kind'],
  }),
});

const CALL_TOOL: GatewayTool = {
  name: 'call_tool',
  title: 'Call a tool',
  description: 'Call a tool that find_tools found.',
  properties: { name: { type: 'string' }, arguments: { type: 'object' } },
  required: ['name'],
};

interface GatewayTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required: readonly string[];
  readonly readOnly?: boolean;
}

/** The entry of a tool without an upstream: its arguments are its JSON body, which is read in this process. */
export const ownEntry = ({
  name,
  title,
  description,
  properties,
  required,
  readOnly = true,
}: GatewayTool): CatalogEntry => ({
  id: `gateway.${name}`,
  description,
  server: { id: 'gateway', name: 'Tool Gateway' },
  category: 'gateway',
  source: 'gateway',
  createdAt: new Date(0).toISOString(),
  tool: {
    name,
    title,
    description,
    inputSchema: { type: 'object', properties, required, additionalProperties: false },
    widePatterns: {},
    annotations: {
      title,
      readOnlyHint: readOnly,
      destructiveHint: !readOnly,
      openWorldHint: false,
    },
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
      datasetId: null,
      docUrl: null,
      licence: { code: 'unknown', title: null, url: null },
      attribution: null,
      asOf: { kind: 'unknown' },
      missing: [],
    },
    view: { columns: {}, concise: null, pivot: null },
    searchHint: null,
    returnsMcpContent: false,
    secrets: [],
    version: `own:${name}`,
    korean: null,
    quota: null,
    lastGoodSeconds: 0,
  },
});

/** `call_tool` where all tools that it may call are read-only. */
export const READING_CALL_TOOL = ownEntry(CALL_TOOL);
