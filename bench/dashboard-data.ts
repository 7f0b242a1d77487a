import { setTimeout as sleep } from 'node:timers/promises';
import { createApiKeyStore } from '../src/access/keys/api-key-store.ts';
import { createTenantStore } from '../src/access/tenants/tenant-store.ts';
import { type Database, openDatabase } from '../src/platform/database/database.ts';
import { newApiKeyText } from '../src/platform/kernel/ids.ts';
import { systemClock } from '../src/platform/kernel/time.ts';
import { openStatistics } from '../src/statistics/open-statistics.ts';
import {
  ADMIN,
  ADMIN_ENV,
  type AdminClient,
  inviteAndJoin,
  signIn,
} from '../test/support/admin-client.ts';
import { type RunningGateway, startGatewayProcess } from '../test/support/gateway-process.ts';
import { describeThings } from './describe-things.ts';
import type { BenchPlace } from './each-database.ts';
import { fillRecords, type RecordedCalls } from './fill-records.ts';

const KEYS = 1000;
const APIS = 5;
const INVITATIONS = 20;
/** One person may send 600 requests in a minute. */
const READERS = 10;
/** The tenant of the first key: everything belongs to it. */
export const TENANT = 'default';
const TENANT_PATH = `/tenants/${TENANT}`;
const HOUR_MS = 3_600_000;
const FIRST_KEY = newApiKeyText();

/** What the lists of the dashboard are asked about. */
export interface Subject {
  readonly toolName: string;
  readonly apiKeyId: string;
}

/** A gateway process with the sandbox, whose administrator is that of the tests. */
export const startGateway = ({ dataDir, databaseUrl }: BenchPlace): Promise<RunningGateway> =>
  startGatewayProcess({
    ...ADMIN_ENV,
    DATA_DIR: dataDir,
    BOOTSTRAP_API_KEY: FIRST_KEY,
    ALLOW_PRIVATE_UPSTREAMS: 'true',
    ...(databaseUrl && { DATABASE_URL: databaseUrl.reveal() }),
  });

/** Signs in the people who read the dashboard. */
export const signInReaders = (gateway: RunningGateway): Promise<AdminClient[]> =>
  Promise.all(
    Array.from({ length: READERS }, (_, n) => signIn(gateway, { ...ADMIN, email: readerEmail(n) })),
  );

const readerEmail = (n: number): string => `reader-${n}@example.com`;

/** How many records there are, and how many the statistics contain: counting takes ten times as long as recording. */
interface Amount {
  readonly records: number;
  readonly counted: number;
}

/** Registers 500 tools, creates 1,000 keys, and records and counts the calls of 30 days. */
export async function prepareData(
  place: BenchPlace,
  { records, counted }: Amount,
): Promise<Subject> {
  const tools = await registerTools(place);
  const database = openDatabase(place);
  try {
    const keys = await createKeys(database);
    const calls = { total: records, untilMs: Date.now() - HOUR_MS, keys, tools, upstreams: 20 };
    await fillAndCount(place, database, calls, counted);
    return { toolName: tools[0]?.name ?? '', apiKeyId: keys[0]?.apiKeyId ?? '' };
  } finally {
    await database.close();
  }
}

/** Resolves with all tools that the tenant has afterwards. */
async function registerTools(place: BenchPlace) {
  const gateway = await startGateway(place);
  try {
    const admin = await signIn(gateway);
    for (let n = 0; n < APIS; n++) {
      const name = `api_${n}`;
      const document = describeThings(name, `${gateway.sandboxUrl}/practice`);
      await registerApi(admin, TENANT, { name, document });
    }
    for (let n = 0; n < INVITATIONS; n++) {
      const invitation = { email: `person-${n}@example.com`, role: 'viewer' };
      await expectOk(admin.ask(`POST ${TENANT_PATH}/invitations`, invitation));
    }
    for (let n = 0; n < READERS; n++) await addReader(gateway, admin, readerEmail(n));
    return await listTools(gateway);
  } finally {
    await gateway.stop();
  }
}

/** Registers an API of a tenant, and waits until its tools can be called. */
export async function registerApi(
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

/** Operators, because they may read everything. */
async function addReader(gateway: RunningGateway, admin: AdminClient, email: string) {
  const reader = await inviteAndJoin(gateway, admin, { tenant: TENANT, email, role: 'viewer' });
  const { person } = await expectOk(reader.ask('GET /me'));
  await expectOk(admin.ask(`PATCH /people/${person.id}`, { isOperator: true }));
}

async function listTools({ url }: RunningGateway): Promise<{ id: string; name: string }[]> {
  const tools: { id: string; name: string }[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const address: string = `${url}/api/v1/tools?limit=500${cursor && `&cursor=${cursor}`}`;
    const response = await fetch(address, { headers: { 'x-api-key': FIRST_KEY } });
    // biome-ignore lint/suspicious/noExplicitAny: read once, in this benchmark.
    const page = (await response.json()) as any;
    if (!response.ok) throw new Error(JSON.stringify(page));
    tools.push(...page.tools);
    cursor = page.nextCursor;
  }
  return tools;
}

/** All keys of the tenant but the first one, with and without limits. */
async function createKeys(database: Database) {
  const deps = { db: database.db, clock: systemClock };
  const tenantId = (await createTenantStore(deps).ensure(TENANT)).id;
  const store = createApiKeyStore(deps);
  const keys: { tenantId: string; apiKeyId: string }[] = [];
  for (let n = 1; n < KEYS; n++) {
    const { record } = await store.create({
      tenantId,
      name: `Key ${n}`,
      description: `The key of program ${n}`,
      ...(n % 2 === 0 && { rateLimitPerMinute: 60 }),
      ...(n % 3 === 0 && { expiresAtMs: Date.now() + n * HOUR_MS }),
      ...(n % 5 === 0 && { allowedTools: ['category:weather'] }),
    });
    keys.push({ tenantId, apiKeyId: record.id });
  }
  return keys;
}

/** Inserts the records, and counts as many, evenly spread. */
async function fillAndCount(
  { dataDir, databaseUrl }: BenchPlace,
  database: Database,
  calls: RecordedCalls,
  counted: number,
): Promise<void> {
  const statistics = openStatistics({
    dataDir,
    databaseUrl,
    clock: systemClock,
    onError: console.error,
  });
  const step = Math.max(1, Math.round(calls.total / counted));
  await fillRecords(database, dataDir, calls, (rows) => {
    statistics.count(rows.filter((_, n) => n % step === 0));
    return statistics.flush();
  });
  await statistics.close();
}

/** The body of a response. Throws if it is a refusal. */
export async function expectOk(response: ReturnType<AdminClient['ask']>) {
  const { status, body } = await response;
  if (status === 200 || status === 204) return body;
  throw new Error(`Status ${status}: ${JSON.stringify(body)}`);
}
