import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { newApiKeyText } from '../src/platform/kernel/ids.ts';
import { openInspector } from './inspector.ts';
import { type CallKind, load, type Target } from './load.ts';
import { requirePrograms, stopServers } from './processes.ts';
import { MARKER, settingsOf, startGateway, startUpstream, urlOf } from './servers.ts';

/**
 * Says what each layer of the gateway costs a hit and a miss, in microseconds of the main thread: V8's profile, in which what a
 * library, Node.js or the kernel does counts for the layer that called it.
 */

const { values: options } = parseArgs({
  options: {
    /** Settings of the gateway, such as `REDIS_URL=redis://127.0.0.1`. */
    env: { type: 'string', multiple: true, default: [] },
    /** The directory for the profiles themselves, which Chromium's developer tools open. */
    save: { type: 'string' },
  },
});

const PORT = 18_083;
const INSPECTOR_PORT = 18_086;
const INTERVAL_US = 200;
const WARM_UP_SECONDS = 8;
const SECONDS = 15;

const UPSTREAM = 'upstream request (slot, circuit, retries, undici)';

/** By the file that a function is in, below `src/`, and its name. The first that fits counts. */
const LAYERS: readonly (readonly [layer: string, pattern: RegExp])[] = [
  [
    'bounds (members and depth of JSON, memory, time)',
    /read-json.*#(survey|count|endOf|reserve)|byte-budget|deadline/,
  ],
  ['key, origin, limit', /^(access|http\/(authentication|origins|client-address))/],
  [
    'connections (counts, shutdown, cancellation)',
    /^http\/(connections|response-counts|listen|cancellation)|announce-close/,
  ],
  ['metrics', /^http\/metrics/],
  ['statistics', /^statistics/],
  ['events and traces', /^(events|dialects\/events|calls\/traces)/],
  ['seals', /^audit\/seals/],
  ['masking', /^audit\/masking/],
  ['audit record', /^audit|call-record/],
  ['provenance', /provenance/],
  ['cache', /^cache/],
  ['arguments', /^tools\/request|prepare-call|prepared-tool/],
  [UPSTREAM, /^upstreams\/(client|guard)/],
  ['response of the upstream (check, redaction)', /^upstreams|^public-data/],
  ['JSON-RPC and dialects', /^dialects/],
  ['the call itself', /^(calls|tools|compose|registrations)/],
  ['HTTP routes and bodies', /^http|body-collector/],
  ['small helpers (ids, clocks, promises)', /^platform/],
];
const NONE = 'Node.js, Fastify and the kernel';
/** What serves requests calls the gateway, and is called by it. */
const SERVER =
  /node_modules\/(fastify|find-my-way|light-my-request|toad-cache|avvio)\/|^node:(_http|net|internal\/(stream|timers|process|async_hooks))/;
/** What several layers use counts for each of them. */
const SERVES_ALL = /^platform\/(redis|kernel\/json-scanner)/;
const IDLE = new Set(['(idle)', '(root)']);

async function main(): Promise<void> {
  requirePrograms('nginx', 'wrk', 'taskset');
  if (options.save) mkdirSync(options.save, { recursive: true });
  const directory = mkdtempSync(join(tmpdir(), 'gateway-bench-'));
  const key = newApiKeyText();
  try {
    await startUpstream(directory);
    const inspected = { NODE_OPTIONS: `--inspect=127.0.0.1:${INSPECTOR_PORT}` };
    const env = { ...settingsOf(options.env), ...inspected };
    const pid = await startGateway({ directory, key, port: PORT, env });
    const inspector = await openInspector(INSPECTOR_PORT);
    await inspector.post('Profiler.enable');
    await inspector.post('Profiler.setSamplingInterval', { interval: INTERVAL_US });
    const costs = new Map<CallKind, ReadonlyMap<string, number>>();
    for (const kind of ['hit', 'miss'] as const) {
      const url = `${urlOf(PORT)}/mcp`;
      const target: Target = { name: `gateway ${kind}`, kind, url, pid, marker: MARKER };
      await load(target, key, WARM_UP_SECONDS);
      await inspector.post('Profiler.start');
      const { requests } = await load(target, key, SECONDS);
      const { profile } = (await inspector.post('Profiler.stop')) as Profiler.StopReturnType;
      costs.set(kind, byLayer(profile, requests));
      if (options.save)
        writeFileSync(join(options.save, `${kind}.cpuprofile`), JSON.stringify(profile));
    }
    inspector.close();
    print(costs);
  } finally {
    await stopServers();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Microseconds of each layer for one call. */
function byLayer({ nodes, samples, timeDeltas }: Profiler.Profile, calls: number) {
  const layers = new Map<number, string>();
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const visit = (node: Profiler.ProfileNode, outer: string): void => {
    const layer = layerOf(node.callFrame) ?? outer;
    layers.set(node.id, layer);
    for (const id of node.children ?? []) {
      const child = byId.get(id);
      if (child) visit(child, layer);
    }
  };
  if (nodes[0]) visit(nodes[0], NONE);
  const costs = new Map<string, number>();
  for (const [at, id] of (samples ?? []).entries()) {
    if (IDLE.has(byId.get(id)?.callFrame.functionName ?? '')) continue;
    const layer = layers.get(id) ?? NONE;
    costs.set(layer, (costs.get(layer) ?? 0) + (timeDeltas?.[at] ?? 0) / calls);
  }
  return costs;
}

const SRC = `file://${resolve(import.meta.dirname, '../src')}/`;

/** Undefined for what counts for its caller: what is neither the gateway's own nor that of the server. */
function layerOf({ url, functionName }: Profiler.ProfileNode['callFrame']): string | undefined {
  if (functionName === '(garbage collector)') return 'garbage collection on the main thread';
  if (/node_modules\/undici\//.test(url)) return UPSTREAM;
  if (SERVER.test(url)) return NONE;
  if (!url.startsWith(SRC)) return undefined;
  const place = `${url.slice(SRC.length)}#${functionName}`;
  if (SERVES_ALL.test(place)) return undefined;
  return LAYERS.find(([, pattern]) => pattern.test(place))?.[0];
}

function print(costs: ReadonlyMap<CallKind, ReadonlyMap<string, number>>): void {
  const [hit, miss] = [costs.get('hit') ?? new Map(), costs.get('miss') ?? new Map()];
  const names = [...new Set([...miss.keys(), ...hit.keys()])];
  const text = (value: number | undefined): string => (value ?? 0).toFixed(1);
  console.log('| layer | hit, µs | miss, µs |\n|---|---|---|');
  for (const name of names.toSorted((a, b) => (miss.get(b) ?? 0) - (miss.get(a) ?? 0))) {
    console.log(`| ${name} | ${text(hit.get(name))} | ${text(miss.get(name))} |`);
  }
}

await main();
