import { type Static, Type } from 'typebox';
import { type FindCodesWithin, rangeForms } from '../../calls/over/plan-units.ts';
import type { FailingTools } from '../../calls/problems/failing-tools.ts';
import { actorCaller } from '../../platform/input/operation.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { Catalog } from '../../tools/catalog/catalog.ts';
import { pageOf } from '../../tools/catalog/catalog-page.ts';
import { inLanguage, LANGUAGES, type Language } from '../../tools/catalog/in-language.ts';
import type { PresetDetails, ReadPresetDetails } from '../../tools/catalog/preset-details.ts';
import type { CatalogEntry } from '../../tools/catalog-entry.ts';
import type { PresetServer, Tool } from '../../tools/model.ts';
import { type CatalogQuery, MAX_SEARCH_LENGTH } from '../../tools/search/search-entries.ts';
import { publicRoute, tenantRoute } from './admin-route.ts';

export interface CatalogueRoutesDeps extends DescribeToolDeps {
  readonly catalog: Catalog;
  /** Resolves once the tools that a tenant registered are in the catalog. */
  readonly ready: (tenantId: string) => void | Promise<void>;
  readonly failingTools: FailingTools;
  /** What is known of the keys that the tenant's calls of a tool send. */
  readonly keysOf: (tenantId: string, entry: CatalogEntry) => KeysState;
}

/** Whether calls can succeed: `unusable` if the provider has withdrawn the tool, or its quota is used up. */
export type KeysState = 'usable' | 'missing' | 'unusable';

/** Tools on one page. */
const MAX_TOOLS = 200;

const QUERY = {
  lang: Type.Optional(Type.Enum([...LANGUAGES])),
  q: Type.Optional(Type.String({ maxLength: MAX_SEARCH_LENGTH })),
  category: Type.Optional(Type.String({ maxLength: 100 })),
  source: Type.Optional(Type.Union([Type.Literal('preset'), Type.Literal('registered')])),
  cursor: Type.Optional(Type.String({ maxLength: 500 })),
  limit: Type.Integer({ minimum: 1, maximum: MAX_TOOLS, default: 60 }),
};
/** By which tools are filtered that a tenant sees. */
const STATE = {
  state: Type.Optional(Type.Enum(['ready', 'needs_key', 'failing'])),
};
type State = Static<NonNullable<typeof STATE.state>>;
const TOOL = { tool: Type.String({ maxLength: 200 }), lang: QUERY.lang };

type ListQuery = CatalogQuery & {
  readonly lang?: Language;
  readonly cursor?: string;
  readonly limit: number;
};

/** The catalog as people read it: for visitors, the presets; for members of a tenant, all tools that it sees. */
export function createCatalogueRoutes(deps: CatalogueRoutesDeps) {
  const { catalog, ready } = deps;
  const describe = createDescribeTool(deps);
  return {
    'GET /catalogue': publicRoute({
      input: QUERY,
      handle: (_, query) => list(deps, { entries: catalog.presetEntries }, query),
    }),
    'GET /catalogue/:tool': publicRoute({
      input: TOOL,
      handle: (_, { tool, lang }) => {
        const entry = catalog.presetEntries.find((one) => one.tool.name === tool);
        // Whether the gateway has a secret is its operator's business.
        return describe(known(entry), { tenantId: null, lang });
      },
    }),
    'GET /tenants/:tenant/catalogue': tenantRoute('viewer', {
      input: { ...QUERY, ...STATE },
      handle: async (context, { state, ...query }) => {
        await ready(context.tenant.id);
        const isShown = state && (await createStateFilter(deps, context.tenant.id, state));
        return list(deps, { entries: catalog.list(actorCaller(context)), isShown }, query);
      },
    }),
    'GET /tenants/:tenant/catalogue/:tool': tenantRoute('viewer', {
      input: TOOL,
      handle: async (context, { tool, lang }) => {
        await ready(context.tenant.id);
        const entry = catalog.find(actorCaller(context), tool);
        return describe(known(entry), { tenantId: context.tenant.id, lang });
      },
    }),
  };
}

/** Creates what tells whether a tool is in a state: one whose calls fail, or that waits for a key, is not ready. */
async function createStateFilter(
  { failingTools, keysOf }: Pick<CatalogueRoutesDeps, 'failingTools' | 'keysOf'>,
  tenantId: string,
  state: State,
): Promise<(entry: CatalogEntry) => boolean> {
  const failing = await failingTools(tenantId);
  if (state === 'failing') return ({ id }) => failing.has(id);
  if (state === 'needs_key') return (entry) => keysOf(tenantId, entry) === 'missing';
  return (entry) => !failing.has(entry.id) && keysOf(tenantId, entry) === 'usable';
}

interface Listed {
  readonly entries: readonly CatalogEntry[];
  /** All are, without it. */
  readonly isShown?: ((entry: CatalogEntry) => boolean) | undefined;
}

/** A page of the tools that match; `categories` counts all that match in each category. */
async function list(
  { catalog }: Pick<CatalogueRoutesDeps, 'catalog'>,
  { entries, isShown }: Listed,
  { category, cursor, limit, lang, ...words }: ListQuery,
) {
  await catalog.prepareSearch(entries, words);
  const found = catalog.search(entries, words);
  const matches = isShown ? found.filter(({ entry }) => isShown(entry)) : found;
  const counts = new Map<string, number>();
  for (const { entry } of matches) {
    counts.set(entry.category, (counts.get(entry.category) ?? 0) + 1);
  }
  const shown =
    category === undefined ? matches : matches.filter(({ entry }) => entry.category === category);
  const page = pageOf(shown, limit, cursor);
  return {
    tools: page.entries.map((entry) => toToolCard(inLanguage(entry, lang))),
    nextCursor: page.nextCursor,
    total: shown.length,
    categories: [...counts]
      .map(([name, tools]) => ({ name, tools }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

function known(entry: CatalogEntry | undefined): CatalogEntry {
  if (entry) return entry;
  throw new GatewayError('not_found', 'There is no such tool. It may have been deleted.');
}

/** Characters of a description in a list. */
const MAX_SUMMARY = 280;

/** A tool in a list. */
const toToolCard = ({ tool, server, category, source }: CatalogEntry) => ({
  name: tool.name,
  title: tool.title,
  summary: cut(tool.description),
  category,
  server,
  source,
  needsSecret: tool.secrets.length > 0,
});

const cut = (text: string): string =>
  text.length > MAX_SUMMARY ? `${text.slice(0, MAX_SUMMARY).replace(/\s+\S*$/, '')} …` : text;

interface DescribeToolDeps {
  readonly catalog: { readonly servers: readonly PresetServer[] };
  readonly readDetails: ReadPresetDetails;
  /** A sample of the JSON that calls of a preset's tool return; undefined without one. */
  readonly sampleOf: (preset: PresetServer, tool: Tool) => Buffer | undefined;
  /** Whether calls of the tenant have a key to send. */
  readonly hasSecret: (tenantId: string, name: string) => boolean;
  readonly codesWithin: FindCodesWithin;
}

interface DescribeOptions {
  /** Null: not whether its keys are set. */
  readonly tenantId: string | null;
  readonly lang?: Language | undefined;
}

/** Bytes; a longer sample is left out. */
const MAX_SAMPLE_BYTES = 64 * 1024;

/** Describes one tool in full, for its page; without a tenant, not whether its keys are set. */
export function createDescribeTool({
  catalog,
  readDetails,
  sampleOf,
  hasSecret,
  codesWithin,
}: DescribeToolDeps) {
  return async (given: CatalogEntry, { tenantId, lang }: DescribeOptions) => {
    const entry = inLanguage(given, lang);
    const { tool, category, source } = entry;
    const preset =
      source === 'preset' ? catalog.servers.find(({ id }) => id === entry.server.id) : undefined;
    // Its file may have been replaced by one that is faulty, or deleted: the tool stays in use.
    const details = preset && (await readDetails(preset).catch(() => undefined));
    return {
      id: entry.id,
      ...toolPart(tool),
      category,
      source,
      server: {
        ...entry.server,
        ...serverPart(details),
        ...(lang === 'ko' && tool.korean?.description && { description: tool.korean.description }),
      },
      columns: (details?.columnsOf(tool) ?? namedOnly(tool)).map((column) => ({
        ...column,
        description: (lang === 'ko' && tool.korean?.columns[column.name]) || column.description,
      })),
      /** How columns are called, by name. */
      headings: tool.view.columns,
      pivotCategory: tool.view.pivot?.category ?? null,
      computedDefaults: namesOfComputed(tool),
      /** The arguments that `_over` can name. */
      rangeForms: rangeForms(tool, codesWithin),
      /** The argument where a range of the upstream begins, by the argument where it ends. */
      rangeStarts: Object.fromEntries((tool.ranges ?? []).map(({ from, to }) => [to, from])),
      secrets: secretsOf(tool).map((secret) => ({
        ...secret,
        isSet: tenantId === null ? null : hasSecret(tenantId, secret.name),
      })),
      sample: preset ? readSample(sampleOf(preset, tool)) : null,
    };
  };
}

const toolPart = (tool: Tool) => ({
  name: tool.name,
  title: tool.title,
  description: tool.description,
  inputSchema: tool.inputSchema,
  method: tool.method,
  path: tool.path,
  baseUrl: tool.baseUrl,
  isPublicData: tool.isPublicData,
  readOnly: tool.annotations.readOnlyHint,
  cacheTtlSeconds: tool.cacheTtlSeconds,
  quota: tool.quota,
  /** Where the rows are in `data`, as a JSON pointer. */
  items: tool.payload.items,
  itemWrapper: tool.payload.itemWrapper,
  personal: tool.personal,
});

const serverPart = (details: PresetDetails | undefined) => ({
  description: details?.description ?? null,
  documentation: details?.documentation ?? null,
  license: details?.license ?? null,
  termsOfService: details?.termsOfService ?? null,
});

/** Of registered APIs, the catalog knows the names of the columns only. */
const namedOnly = ({ payload }: Tool) =>
  (payload.columns ?? []).map((name) => ({ name, description: null, type: null }));

/** The names of the arguments that the gateway computes when they are left out. */
const namesOfComputed = ({ parameters }: Tool): readonly string[] =>
  parameters.flatMap(({ source }) =>
    source.kind === 'argument' && source.computedDefault ? [source.property] : [],
  );

/** The secrets that a call needs, each once, with where to get it. */
function secretsOf({ secrets, parameters }: Tool) {
  const descriptions = new Map(
    parameters.flatMap(({ source }) =>
      source.kind === 'secret' ? [[source.secret, source.description] as const] : [],
    ),
  );
  return secrets.map((name) => ({ name, description: descriptions.get(name) ?? null }));
}

const readSample = (json: Buffer | undefined): unknown =>
  json && json.length <= MAX_SAMPLE_BYTES ? JSON.parse(json.toString()) : null;
