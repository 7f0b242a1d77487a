import {
  createProviderKeySource,
  type ProviderKeySource,
} from '../access/provider-keys/provider-key-source.ts';
import { OWN_TOOL_NAMES } from '../dialects/door/own-tools.ts';
import { decodeProviderKey } from '../public-data/service-key.ts';
import { PUBLIC_DATA_TOOLS } from '../public-data/tool-domain.ts';
import { type Catalog, createCatalog } from '../tools/catalog/catalog.ts';
import { createPresetLoader } from '../tools/catalog/load-presets.ts';
import {
  loadToolsets,
  type Toolset,
  type Toolsets,
  toolsetsDir,
} from '../tools/catalog/toolsets.ts';
import type { PresetServer } from '../tools/model.ts';
import type { GatewayOptions } from './options.ts';

/** What the files of presets and toolsets describe. */
export interface Presets {
  readonly catalog: Catalog;
  /** Where the secrets of presets come from. */
  readonly keySource: ProviderKeySource;
  readonly toolsets: Toolsets;
  /**
   * Reads all files again, and takes them into use together. Resolves with whether anything has changed. Rejects with
   * StartupError or SettingsError for files that cannot be used, and then changes nothing.
   */
  reload(): Promise<boolean>;
}

/** Loads the presets, and the toolsets that name their tools. Throws StartupError. */
export async function openPresets(options: GatewayOptions): Promise<Presets> {
  const { settings, logger, clock, secrets, sandboxSecret, baseUrlFor } = options;
  const load = createPresetLoader({
    dir: settings.PRESETS_DIR,
    extraDirs: settings.PRESETS_EXTRA_DIRS,
    domain: PUBLIC_DATA_TOOLS,
    lenient: settings.PRESETS_LENIENT,
    logger,
    ...(baseUrlFor ? { baseUrlFor } : {}),
  });
  const { presets } = await load();
  const keySource = createProviderKeySource({
    names: secretNamesOf(presets),
    environment: secrets,
    sandboxSecret,
    decode: decodeProviderKey,
  });
  const hasSecret = (name: string): boolean => keySource.secretOf(name) !== undefined;
  const catalog = createCatalog({ presets, clock, hasSecret });
  const toolsets = new Map(await toolsetsFor(presets, options));

  async function reload(): Promise<boolean> {
    const { presets: next } = await load();
    const nextToolsets = await toolsetsFor(next, options);
    keySource.useNames(secretNamesOf(next));
    const hasOtherToolsets = textOf(toolsets) !== textOf(nextToolsets);
    replaceAll(toolsets, nextToolsets);
    if (isSame(catalog.servers, next)) return hasOtherToolsets;
    catalog.setPresets(next);
    return true;
  }

  return { catalog, keySource, toolsets, reload };
}

const secretNamesOf = (presets: readonly PresetServer[]): string[] =>
  [...new Set(presets.flatMap(({ tools }) => tools.flatMap(({ secrets }) => secrets)))].sort();

/** The toolsets are in the directory beside PRESETS_DIR, and name tools of all presets. */
const toolsetsFor = (
  presets: readonly PresetServer[],
  { settings, logger }: GatewayOptions,
): Promise<Toolsets> =>
  loadToolsets({
    dir: toolsetsDir(settings.PRESETS_DIR),
    toolNames: presets.flatMap(({ tools }) => tools.map(({ name }) => name)),
    ownToolNames: OWN_TOOL_NAMES,
    lenient: settings.PRESETS_LENIENT,
    logger,
  });

const textOf = (toolsets: Toolsets): string => JSON.stringify([...toolsets]);

function replaceAll(toolsets: Map<string, Toolset>, next: Toolsets): void {
  toolsets.clear();
  for (const [name, toolset] of next) toolsets.set(name, toolset);
}

/** A file that did not change is the same object. */
const isSame = (before: readonly PresetServer[], after: readonly PresetServer[]): boolean =>
  before.length === after.length && after.every((preset, at) => preset === before[at]);
