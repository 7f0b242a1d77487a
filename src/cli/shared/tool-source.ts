import { toToolRecord } from '../../dialects/rest/tools.ts';
import type { Settings } from '../../platform/config/settings.ts';
import { closest } from '../../platform/kernel/closest.ts';
import { StartupError } from '../../platform/kernel/error.ts';
import { commandLine } from '../../platform/kernel/log-lines.ts';
import { isObject, type JsonObject, ownText } from '../../platform/kernel/plain-json.ts';
import { PUBLIC_DATA_TOOLS } from '../../public-data/tool-domain.ts';
import { type Catalog, createCatalog } from '../../tools/catalog/catalog.ts';
import { inLanguage } from '../../tools/catalog/in-language.ts';
import { loadPresets } from '../../tools/catalog/load-presets.ts';
import type { CatalogEntry } from '../../tools/catalog-entry.ts';
import type { CatalogQuery } from '../../tools/search/search-entries.ts';
import { askGateway, type Gateway, refusalText, requestGateway } from './gateway-request.ts';
import { terminalLanguage } from './options.ts';

/** Where commands find tools, as tool records (docs/contract.md#tools-over-rest). */
export interface ToolSource {
  /** At most `limit` tools, sorted by id; the best match first if the query has words. */
  list(query: CatalogQuery, limit: number): Promise<readonly JsonObject[]>;
  /** The tool with this id or name. Throws StartupError for an unknown one. */
  find(idOrName: string): Promise<JsonObject>;
}

/** Most tools that are listed: more than any caller can see. */
export const MAX_LISTED = 10_000;
/** Tools whose names are compared with an unknown one. */
const MAX_COMPARED = 2_000;
const MAX_PAGE = 500;

const recordOf = (entry: CatalogEntry): JsonObject =>
  toToolRecord(inLanguage(entry, terminalLanguage()));

/** What asks a gateway for texts in the language of the terminal. */
const languageQuery = () => (terminalLanguage() === 'ko' ? { lang: 'ko' } : {});

/** The tools of the presets on this machine. */
export function toolsOfPresets({ presetEntries, search }: Catalog): ToolSource {
  return {
    list: async (query, limit) =>
      search(presetEntries, query)
        .slice(0, limit)
        .map(({ entry }) => recordOf(entry)),
    async find(idOrName) {
      const found = presetEntries.find(({ id, tool }) => [id, tool.name].includes(idOrName));
      if (found) return recordOf(found);
      throw unknownTool(
        idOrName,
        presetEntries.map(({ tool }) => tool.name),
      );
    },
  };
}

/** The tools that the API key may use on a running gateway. */
export function toolsOfGateway(gateway: Gateway): ToolSource {
  async function list(query: CatalogQuery, limit: number): Promise<JsonObject[]> {
    const found: JsonObject[] = [];
    let cursor: string | undefined;
    do {
      const pageLimit = String(Math.min(limit - found.length, MAX_PAGE));
      const page = new URLSearchParams({
        ...query,
        ...languageQuery(),
        limit: pageLimit,
        ...(cursor && { cursor }),
      });
      const { tools, nextCursor } = await askGateway(gateway, 'GET', `/api/v1/tools?${page}`);
      const some = Array.isArray(tools) ? tools.filter(isObject) : [];
      found.push(...some);
      cursor = typeof nextCursor === 'string' && some.length > 0 ? nextCursor : undefined;
    } while (cursor !== undefined && found.length < limit);
    return found;
  }
  return {
    list,
    async find(idOrName) {
      const asked = new URLSearchParams(languageQuery()).toString();
      const path = `/api/v1/tools/${encodeURIComponent(idOrName)}${asked && `?${asked}`}`;
      const response = await requestGateway(gateway, { method: 'GET', path });
      if (response.status < 400) return response.body;
      if (response.status !== 404) throw new StartupError(refusalText(gateway, response));
      const tools = await list({}, MAX_COMPARED);
      throw unknownTool(
        idOrName,
        tools.map((tool) => ownText(tool, 'name') ?? ''),
      );
    },
  };
}

function unknownTool(name: string, names: readonly string[]): StartupError {
  const similar = closest(name, names);
  const next = similar
    ? `Did you mean ${similar}?`
    : `To list all tools, run: ${commandLine('tools list')}`;
  return new StartupError(`There is no tool ${JSON.stringify(name.slice(0, 100))}. ${next}`);
}

/** The presets on this machine. Standard error says if files were left out because they are not valid. */
export async function loadPresetCatalog({
  PRESETS_DIR,
  PRESETS_EXTRA_DIRS,
}: Settings): Promise<Catalog> {
  let faults = 0;
  const { presets } = await loadPresets({
    dir: PRESETS_DIR,
    extraDirs: PRESETS_EXTRA_DIRS,
    domain: PUBLIC_DATA_TOOLS,
    lenient: true,
    logger: {
      error: () => {
        faults++;
      },
    },
  });
  if (faults > 0) {
    process.stderr.write(
      `Preset files with faults were left out (${faults} in all). To see them, run: ${commandLine('presets check')}\n`,
    );
  }
  return createCatalog({ presets });
}
