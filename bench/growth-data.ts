import { setTimeout as sleep } from 'node:timers/promises';
import { digestOf } from '../src/access/keys/api-key-record.ts';
import { createApiKeyStore } from '../src/access/keys/api-key-store.ts';
import { createTenantStore } from '../src/access/tenants/tenant-store.ts';
import { type Database, openDatabase } from '../src/platform/database/database.ts';
import { newApiKeyId, newApiKeyText } from '../src/platform/kernel/ids.ts';
import { systemClock } from '../src/platform/kernel/time.ts';
import type { AdminClient } from '../test/support/admin-client.ts';
import type { BenchPlace } from './bench-place.ts';
import { describeThings } from './describe-things.ts';
import { fillRecords } from './fill-records.ts';

/** How much a gateway holds. */
export interface Size {
  readonly tenants: number;
  readonly keys: number;
  readonly apis: number;
  readonly records: number;
}

export const TOOLS_OF_API = 50;
/** The first tenants have as many, until there are enough. */
const APIS_OF_TENANT = 10;
const ROWS = 500;
const UNSEEN_KEYS = 50;

export const tenantName = (n: number): string => `tenant-${n}`;

/**
 * Adds tenants, keys and records to the database of a gateway that does not run, until it has this size. Resolves with texts
 * of new keys, which no gateway has seen yet.
 */
export async function grow(place: BenchPlace, from: Size, to: Size): Promise<string[]> {
  const database = openDatabase(place);
  try {
    const keys = await addKeys(database, from, to);
    const tools = Array.from({ length: 100 }, (_, n) => ({ name: `tool_${n}`, id: `tool-${n}` }));
    const total = to.records - from.records;
    const calls = { total, untilMs: Date.now(), keys, tools, upstreams: 20 };
    await fillRecords(database, place.dataDir, calls);
    return keys.slice(0, UNSEEN_KEYS).map(({ text }) => text);
  } finally {
    await database.close();
  }
}

interface AddedKey {
  readonly tenantId: string;
  readonly apiKeyId: string;
  readonly text: string;
}

/** Adds tenants and their keys, without the checks and the trail of each. */
async function addKeys(database: Database, from: Size, to: Size): Promise<AddedKey[]> {
  const deps = { db: database.db, clock: systemClock };
  const tenants = createTenantStore(deps);
  const store = createApiKeyStore(deps);
  const added: AddedKey[] = [];
  for (let n = from.tenants; n < to.tenants; n++) {
    const { id: tenantId } = await tenants.ensure(tenantName(n));
    const { record } = await store.create({ tenantId, name: 'Key' });
    for (const key of await copyKey(database, record.id, to.keys / to.tenants)) added.push(key);
  }
  return added;
}

async function copyKey({ db }: Database, id: string, copies: number): Promise<AddedKey[]> {
  const original = db.selectFrom('api_keys').selectAll().where('id', '=', id);
  const row = await original.executeTakeFirstOrThrow();
  const keys = Array.from({ length: copies }, () => ({
    tenantId: row.tenant_id,
    apiKeyId: newApiKeyId(),
    text: newApiKeyText(),
  }));
  for (let at = 0; at < keys.length; at += ROWS) {
    const rows = keys
      .slice(at, at + ROWS)
      .map(({ apiKeyId, text }) => ({ ...row, id: apiKeyId, hash: digestOf(text) }));
    await db.insertInto('api_keys').values(rows).execute();
  }
  return keys;
}

/** Registers APIs of a running gateway until it has this size. */
export async function registerApis(
  admin: AdminClient,
  upstreamUrl: string,
  from: Size,
  to: Size,
): Promise<void> {
  for (let n = from.apis; n < to.apis; n++) {
    const name = `api_${n}`;
    const document = describeThings(name, upstreamUrl, TOOLS_OF_API);
    await registerApi(admin, tenantName(Math.floor(n / APIS_OF_TENANT)), { name, document });
  }
}

/** Registers an API of a tenant, and waits until its tools can be called. */
async function registerApi(
  admin: AdminClient,
  tenant: string,
  { name, document }: { readonly name: string; readonly document: string },
): Promise<void> {
  const path = `/tenants/${tenant}`;
  const { id } = await expectOk(
    admin.ask(`POST ${path}/registrations`, { name, spec_raw: document }),
  );
  for (;;) {
    const job = await expectOk(admin.ask(`GET ${path}/registration-jobs/${id}`));
    if (job.status === 'registered') return;
    if (job.progress === 1) throw new Error(`${name} was not registered: ${JSON.stringify(job)}`);
    // One person may send 600 requests in a minute.
    await sleep(300);
  }
}

/** The body of a response. Throws if it is a refusal. */
export async function expectOk(response: ReturnType<AdminClient['ask']>) {
  const { status, body } = await response;
  if (status === 200 || status === 204) return body;
  throw new Error(`Status ${status}: ${JSON.stringify(body)}`);
}
