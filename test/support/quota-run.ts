import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createApiKeyStore } from '../../src/access/keys/api-key-store.ts';
import { createTenantStore } from '../../src/access/tenants/tenant-store.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import type { Secret } from '../../src/platform/kernel/secret.ts';
import { systemClock } from '../../src/platform/kernel/time.ts';
import { type Environment, encodeCall, type RunningGateway } from './gateway-process.ts';
import type { Portal } from './portal.ts';

const TOOL = 'portal_echo';
/** Calls of the greedy tenant at a time, and of each other. */
const GREEDY_CALLS = 50;
const MODEST_CALLS = 2;
/** A modest caller pauses after each call, and gives up after so many refusals in a row. */
const REFUSALS_IN_A_ROW = 10;
const PAUSE_MS = 100;
/** The day is used up when the portal has answered nothing for so long. */
const QUIET_MS = 5000;
const LONGEST_RUN_MS = 180_000;

/** A time zone in which it is between 12 and 13 o'clock, so that no day ends during a run. */
export function middayZone(): string {
  const hours = 12 - new Date().getUTCHours();
  // The signs of these names are inverted: Etc/GMT-9 is nine hours ahead.
  return hours === 0 ? 'Etc/UTC' : `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`;
}

/** Writes a preset with one operation of the portal, of which its provider says how many requests it accepts. */
export async function portalSettings(
  dir: string,
  { url }: Pick<Portal, 'url'>,
  callsPerDay: number,
): Promise<Environment> {
  await mkdir(join(dir, 'portal'), { recursive: true });
  await writeFile(join(dir, 'portal/portal.yaml'), preset(url, callsPerDay));
  return {
    PRESETS_EXTRA_DIRS: dir,
    PUBLIC_DATA_SERVICE_KEY: 'key-of-the-portal',
    ALLOW_PRIVATE_UPSTREAMS: 'true',
  };
}

const preset = (url: string, callsPerDay: number): string => `openapi: 3.1.0
info: { title: Portal, version: "1" }
externalDocs: { url: "https://www.data.go.kr/data/15000001/openapi.do" }
servers: [{ url: "${url}" }]
x-public-data: true
x-quota: { calls: ${callsPerDay}, zone: ${middayZone()} }
x-items: /response/body/items/item
x-success: { code: /response/header/resultCode, values: ["00"] }
security: [{ serviceKey: [] }]
components:
  securitySchemes:
    serviceKey: { type: apiKey, in: query, name: serviceKey, x-secret: PUBLIC_DATA_SERVICE_KEY, description: The key of the portal. }
paths:
  /echo:
    get:
      operationId: ${TOOL}
      description: One row.
      parameters:
        - { name: tenant, in: query, required: true, description: Who asks., schema: { type: string } }
        - { name: n, in: query, required: true, description: A number., schema: { type: integer } }
      responses: { "200": { description: The row. } }
`;

/** Creates tenants with a key each. The database may be in use, unless it is the embedded one. */
export async function createTenantKeys(
  place: { readonly dataDir: string; readonly databaseUrl: Secret | undefined },
  count: number,
): Promise<string[]> {
  const database = openDatabase(place);
  await database.migrate();
  const deps = { db: database.db, clock: systemClock };
  const [tenants, store] = [createTenantStore(deps), createApiKeyStore(deps)];
  const keys: string[] = [];
  for (let n = 0; n < count; n++) {
    const { id: tenantId } = await tenants.ensure(`tenant-${n}`);
    keys.push((await store.create({ tenantId, name: 'Quota' })).text.reveal());
  }
  await database.close();
  return keys;
}

export interface QuotaRun {
  readonly gateways: readonly RunningGateway[];
  readonly portal: Portal;
  /** Of a tenant each; the first is greedy. */
  readonly keys: readonly string[];
  /** How many answers of the portal the first process is killed after; undefined to kill none. */
  readonly killAfter?: number;
}

/** What came of a day: requests at the portal, and the answers that it gave to each tenant. */
export interface QuotaResult {
  readonly sent: number;
  readonly refused: number;
  readonly greedy: number;
  /** In ascending order. */
  readonly others: readonly number[];
}

/**
 * Uses the day of a portal up: the greedy tenant calls 50 at a time without a pause, the others two with a pause after
 * each, until they are refused several times in a row. All ask different questions, spread over the processes.
 */
export async function useUpDay({
  gateways,
  portal,
  keys,
  killAfter,
}: QuotaRun): Promise<QuotaResult> {
  const living = [...gateways];
  let isOver = false;
  let calls = 0;

  async function isAnswered(key: string, tenant: number): Promise<boolean> {
    const n = ++calls;
    const { url } = living[n % living.length] as RunningGateway;
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const body = encodeCall(TOOL, { tenant: String(tenant), n });
    // The connections of a process break when it is killed: the next call goes elsewhere.
    const response = await fetch(`${url}/mcp`, { method: 'POST', headers, body }).catch(() => null);
    const text = (await response?.json().catch(() => null)) as {
      result?: { outcome: string };
    } | null;
    return text?.result?.outcome === 'ok';
  }

  async function callGreedily(key: string, tenant: number): Promise<void> {
    while (!isOver) await isAnswered(key, tenant);
  }

  async function callModestly(key: string, tenant: number): Promise<void> {
    for (let refusals = 0; !isOver && refusals < REFUSALS_IN_A_ROW; ) {
      refusals = (await isAnswered(key, tenant)) ? 0 : refusals + 1;
      await sleep(PAUSE_MS);
    }
  }

  const callers = keys.flatMap((key, tenant) =>
    Array.from({ length: tenant === 0 ? GREEDY_CALLS : MODEST_CALLS }, () =>
      tenant === 0 ? callGreedily(key, tenant) : callModestly(key, tenant),
    ),
  );
  await untilQuiet(portal, (answered) => {
    if (killAfter === undefined || answered < killAfter || living.length < gateways.length) return;
    living.shift()?.kill('SIGKILL');
  });
  isOver = true;
  await Promise.all(callers);
  return resultOf(portal, keys.length);
}

/** Resolves when the portal, which has begun to answer, has answered nothing for a while. */
async function untilQuiet(portal: Portal, watch: (answered: number) => void): Promise<void> {
  const endMs = performance.now() + LONGEST_RUN_MS;
  let [answered, sinceMs] = [0, Infinity];
  while (performance.now() < Math.min(endMs, sinceMs + QUIET_MS)) {
    await sleep(5);
    const { received, refused } = portal.count();
    if (received - refused > answered)
      [answered, sinceMs] = [received - refused, performance.now()];
    watch(answered);
  }
}

function resultOf(portal: Portal, tenants: number): QuotaResult {
  const { received, refused, answeredFor } = portal.count();
  const [greedy = 0, ...others] = Array.from(
    { length: tenants },
    (_, tenant) => answeredFor.get(String(tenant)) ?? 0,
  );
  return { sent: received, refused, greedy, others: others.toSorted((a, b) => a - b) };
}
