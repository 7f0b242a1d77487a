import { createTenantStore } from '../../access/tenants/tenant-store.ts';
import { closest } from '../../platform/kernel/closest.ts';
import { StartupError } from '../../platform/kernel/error.ts';
import { ownText } from '../../platform/kernel/plain-json.ts';
import { systemClock } from '../../platform/kernel/time.ts';
import { CATEGORY, type CatalogTool, mayUse } from '../../platform/kernel/tool-policy.ts';
import { createVault } from '../../platform/vault/vault.ts';
import { createRegistrationStore } from '../../registrations/store/registration-store.ts';
import { registeredToolId } from '../../tools/catalog-entry.ts';
import type {
  LocalContext,
  OperationRunner,
  OperationTable,
} from '../operations/operation-runner.ts';
import type { Gateway } from '../shared/gateway-request.ts';
import { loadPresetCatalog, MAX_LISTED, toolsOfGateway } from '../shared/tool-source.ts';

/** Says on standard error which names and patterns select no tool now: more often, they are misspelt than early. */
export async function warnUnmatched<Table extends OperationTable>(
  { on }: OperationRunner<Table>,
  { tenant }: { readonly tenant: string },
  given: {
    readonly tenant?: string | undefined;
    readonly allowedTools?: readonly string[] | null;
  },
): Promise<void> {
  const { allowedTools } = given;
  if (!allowedTools || allowedTools.length === 0) return;
  const tools = await ('database' in on
    ? toolsHere(on, tenant)
    : // An API key lists the tools of its own tenant only.
      given.tenant === undefined
      ? toolsThere(on)
      : undefined);
  if (tools === undefined) return;
  for (const pattern of allowedTools) {
    const user = { allowedTools: [pattern] };
    if (tools.some((tool) => mayUse(user, tool))) continue;
    const similar = closest(pattern, suggestionsOf(tools));
    const advice = similar ? ` Did you mean ${JSON.stringify(similar)}?` : '';
    process.stderr.write(`Warning: ${JSON.stringify(pattern)} selects no tool now.${advice}\n`);
  }
}

async function toolsThere(gateway: Gateway): Promise<readonly CatalogTool[]> {
  const tools = await toolsOfGateway(gateway).list({}, MAX_LISTED);
  return tools.map((tool) => ({
    id: ownText(tool, 'id') ?? '',
    name: ownText(tool, 'name') ?? '',
    category: ownText(tool, 'category') ?? '',
  }));
}

/** Undefined if the presets cannot be read: they may be on another machine. */
async function toolsHere(
  context: LocalContext,
  tenant: string,
): Promise<readonly CatalogTool[] | undefined> {
  try {
    const { presetEntries } = await loadPresetCatalog(context.settings);
    const presets = presetEntries.map(({ id, tool, category }) => ({
      id,
      name: tool.name,
      category,
    }));
    return [...presets, ...(await registeredTools(context, tenant))];
  } catch (error) {
    if (error instanceof StartupError) return undefined;
    throw error;
  }
}

/** The tools that the tenant registered. */
async function registeredTools(
  { database: { db } }: LocalContext,
  slug: string,
): Promise<CatalogTool[]> {
  const clock = systemClock;
  // Names of tools are not encrypted.
  const store = createRegistrationStore({ db, vault: createVault(() => []), clock });
  const tenant = await createTenantStore({ db, clock }).findBySlug(slug);
  const registrations = await store.layer(tenant?.id ?? '');
  return registrations.flatMap((api) =>
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
