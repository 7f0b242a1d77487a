import { readSettings } from '../../platform/config/settings.ts';
import type { Database } from '../../platform/database/database.ts';
import { systemClock } from '../../platform/kernel/clock.ts';
import { StartupError } from '../../platform/kernel/startup-error.ts';
import { createVault } from '../../platform/vault/vault.ts';
import { PUBLIC_LAYER } from '../../registrations/store/layers.ts';
import { createRegistrationStore } from '../../registrations/store/registration-store.ts';
import { CATEGORY, type CatalogTool, mayUse } from '../../tools/catalog/tool-policy.ts';
import { registeredToolId } from '../../tools/catalog-entry.ts';
import { closest } from '../../tools/edit-distance.ts';
import { loadPresetCatalog } from '../shared/preset-catalog.ts';

interface KeyOwner {
  readonly tenantId: string;
  readonly tenantSlug: string;
}

/** Says on standard error which names and patterns select no tool now: more often, they are misspelt than early. */
export async function warnUnmatched(
  patterns: readonly string[],
  owner: KeyOwner,
  database: Database,
): Promise<void> {
  if (patterns.length === 0) return;
  const presets = await presetTools();
  if (presets === undefined) return;
  const tools = [...presets, ...(await registeredTools(owner, database))];
  for (const pattern of patterns) {
    const user = { tenantSlug: owner.tenantSlug, allowedTools: [pattern] };
    if (tools.some((tool) => mayUse(user, tool))) continue;
    const similar = closest(pattern, suggestionsOf(tools));
    const advice = similar ? ` Did you mean ${JSON.stringify(similar)}?` : '';
    process.stderr.write(`Warning: ${JSON.stringify(pattern)} selects no tool now.${advice}\n`);
  }
}

/** Undefined if they cannot be read: they may be on another machine. */
async function presetTools(): Promise<readonly CatalogTool[] | undefined> {
  try {
    const { presetEntries } = await loadPresetCatalog(readSettings(process.env));
    return presetEntries.map(({ id, tool: { name }, category }) => ({ id, name, category }));
  } catch (error) {
    if (error instanceof StartupError) return undefined;
    throw error;
  }
}

/** The tools that the tenant registered, and the public ones. */
async function registeredTools({ tenantId }: KeyOwner, { db }: Database): Promise<CatalogTool[]> {
  // Names of tools are not encrypted.
  const vault = createVault(() => []);
  const store = createRegistrationStore({ db, vault, clock: systemClock });
  const layers = await Promise.all([store.layer(tenantId), store.layer(PUBLIC_LAYER)]);
  return layers
    .flat()
    .flatMap((api) =>
      api.tools.map(({ name }) => ({ id: registeredToolId(api, name), name, category: '' })),
    );
}

/** What selects tools: their names and ids, their categories, and the patterns of the first words of names. */
const suggestionsOf = (tools: readonly CatalogTool[]): Set<string> =>
  new Set(
    tools.flatMap(({ id, name, category }) => [
      name,
      id,
      `${CATEGORY}${category}`,
      `${name.split('_')[0]}_*`,
    ]),
  );
