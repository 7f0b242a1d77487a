/**
 * The cost of many tenants in the catalog: `npm run bench:catalog`. States the memory of each of 1,000
 * tenants with 20 tools, and what listing, finding and searching cost with and without them.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { stringifyResponse } from '../src/dialects/json-rpc/json-rpc.ts';
import { LEGACY_ENCODING } from '../src/dialects/mcp/legacy/methods.ts';
import { createToolListEncoder } from '../src/dialects/mcp/shared/tool-pages.ts';
import { STATELESS_ENCODING } from '../src/dialects/mcp/stateless/methods.ts';
import {
  createToolListEncoder as createPlainEncoder,
  encodeTools,
} from '../src/dialects/plain/encode.ts';
import type { Caller } from '../src/platform/kernel/caller.ts';
import { PUBLIC_DATA_TOOLS } from '../src/public-data/tool-domain.ts';
import { createCatalog } from '../src/tools/catalog/catalog.ts';
import { loadPresets } from '../src/tools/catalog/load-presets.ts';
import { registeredEntries } from '../src/tools/catalog-entry.ts';
import { createLayer } from '../src/tools/catalog-layer.ts';
import type { Tool } from '../src/tools/model.ts';

const { values: options } = parseArgs({
  options: {
    tenants: { type: 'string', default: '1000' },
    tools: { type: 'string', default: '20' },
  },
});
const TENANTS = Number(options.tenants);
const TOOLS = Number(options.tools);
const ROUNDS = 20_000;
/** Tenants that search at a time: their indexes fit into memory. */
const SEARCHING = Math.min(TENANTS, 50);

const callers = Array.from(
  { length: TENANTS },
  (_, n): Caller => ({
    tenantId: `ten_${n}`,
    tenantSlug: `t${n}`,
    apiKeyId: `key_${n}`,
    allowedTools: null,
  }),
);
const without: Caller = { tenantId: 'ten', tenantSlug: 't', apiKeyId: 'key', allowedTools: null };

const dir = join(import.meta.dirname, '../presets');
const { presets } = await loadPresets({ dir, domain: PUBLIC_DATA_TOOLS });
const patterns = presets.flatMap(({ tools }) => tools);

/** A copy of a preset's tool that shares nothing with it. */
const copyOf = (tool: Tool, name: string): Tool =>
  JSON.parse(JSON.stringify({ ...tool, name, alternative: null }));

const layerOf = (n: number) => {
  const tools = Array.from({ length: TOOLS }, (_, at) =>
    copyOf(patterns[(n + at) % patterns.length] as Tool, `own_${at}`),
  );
  const names = tools.map(({ name }) => name);
  const createdAt = new Date().toISOString();
  const api = { tenantSlug: `t${n}`, slug: 'own', title: 'Own', category: 'own', createdAt };
  return createLayer(registeredEntries({ ...api, tools, names }));
};

function usedBytes(): number {
  if (!globalThis.gc) throw new Error('Run node with --expose-gc.');
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const print = (what: string, value: string): void =>
  void process.stdout.write(`${what.padEnd(58)}${value.padStart(14)}\n`);

let before = usedBytes();
const stated = (what: string): void => {
  const after = usedBytes();
  print(what, `${((after - before) / TENANTS / 1024).toFixed(1)} KiB`);
  before = after;
};

const timed = (what: string, run: (n: number) => unknown, rounds = ROUNDS): number => {
  for (let n = 0; n < rounds; n++) run(n);
  const { user, system } = process.cpuUsage();
  for (let n = 0; n < rounds; n++) run(n);
  const spent = process.cpuUsage({ user, system });
  const microseconds = (spent.user + spent.system) / rounds;
  print(what, `${microseconds.toFixed(2)} us`);
  return microseconds;
};

const catalog = createCatalog({ presets });
const encoders = [
  ['plain', createPlainEncoder()],
  ['up to 2025-11-25', createToolListEncoder(LEGACY_ENCODING, 'plain')],
  ['2026-07-28', createToolListEncoder(STATELESS_ENCODING, 'plain')],
] as const;
const encode = encoders[0][1];
for (const [, prepare] of encoders) prepare(catalog.list(without));
catalog.search(catalog.list(without), { q: 'weather' });
const list = (caller: Caller) => encodeTools(1, encode(catalog.list(caller)));

print('tools of the presets', String(patterns.length));
print('tenants, and tools of each', `${TENANTS} x ${TOOLS}`);
timed('a list, no tenant with a layer', () => list(without));
timed('finding a tool, no tenant with a layer', () => catalog.find(without, 'frankfurter_rates'));

before = usedBytes();
for (const [n, caller] of callers.entries()) catalog.setTenantLayer(caller.tenantId, layerOf(n));
stated('memory per tenant: layer with its compiled tools');
for (const caller of callers) catalog.list(caller);
stated('memory per tenant: view');
for (const [name, prepare] of encoders) {
  for (const caller of callers) prepare(catalog.list(caller));
  stated(`memory per tenant: bytes of the list, ${name}`);
}
for (const caller of callers) catalog.search(catalog.list(caller), { q: 'weather' });
stated('memory per tenant: search index');

timed('a list, of a tenant without a layer', () => list(without));
timed('a list, of tenants with one', (n) => list(callers[n % TENANTS] as Caller));
timed('finding a preset, by a tenant without a layer', () =>
  catalog.find(without, 'frankfurter_rates'),
);
timed('finding a preset, by tenants with one', (n) =>
  catalog.find(callers[n % TENANTS] as Caller, 'frankfurter_rates'),
);
timed('finding an own tool', (n) => catalog.find(callers[n % TENANTS] as Caller, 'own_1'));
const searched = (caller: Caller) =>
  catalog.search(catalog.list(caller), { q: 'weather in Seoul' });
timed('a search, of a tenant without a layer', () => searched(without), 500);
timed('a search, of tenants with one', (n) => searched(callers[n % SEARCHING] as Caller), 500);
print('bytes of a list', String(stringifyResponse(1, catalog.list(without)).length));
