import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeTool } from '../../../test/support/catalog-entries.ts';
import { describeStores } from '../../../test/support/databases.ts';
import {
  openRegistrationPlace,
  type RegistrationPlace,
  request,
} from '../../../test/support/registrations.ts';
import { type CatalogEntry, registeredEntries } from '../../tools/catalog-entry.ts';
import type { RowPlace } from '../../tools/model.ts';
import { createFoundRows, readFoundRows } from './found-rows.ts';
import { createJobStore } from './job-store.ts';
import { createRegistrationStore } from './registration-store.ts';
import { submitJob } from './submit-job.ts';

const place = (items: string): RowPlace => ({
  ...{ items, itemWrapper: null, total: null, next: null, evidence: 'The only list.' },
});

const MINUTE_MS = 60_000;

describeStores('where rows were found', (backend) => {
  let here: RegistrationPlace;
  let id: string;
  let nowMs: number;
  let errors: unknown[];
  let rows: ReturnType<typeof createFoundRows>;
  beforeEach(async () => {
    here = await openRegistrationPlace(backend);
    id = await register();
    nowMs = 1_000_000;
    errors = [];
    rows = open();
  });
  afterEach(() => here.close());

  const open = () =>
    createFoundRows({
      db: here.database.db,
      clock: { now: () => nowMs },
      onError: (error) => void errors.push(error),
    });

  async function register(): Promise<string> {
    const tenantId = here.ours;
    const job = await submitJob(here.deps, { tenantId, apiKeyId: 'key_1', request: request() });
    const compiled = { baseUrl: 'https://example.com', tools: ['list'], traits: {}, report: {} };
    const stored = await createJobStore(here.deps).register(job, {
      ...compiled,
      compiledTools: null,
    });
    return stored?.registrationId ?? '';
  }

  const entryOf = (name: string, slug = 'my-api'): CatalogEntry => {
    const [entry] = registeredEntries({
      ...{ tenantSlug: 'ours', slug, title: 'My API', category: 'registered', createdAt: '' },
      ...{ tools: [makeTool(name)], names: [name] },
    });
    if (!entry) throw new Error('No entry.');
    return entry;
  };

  const observe = async (items: string, entry = entryOf('list'), tenantId = here.ours) => {
    rows.observe(entry, tenantId, place(items));
    await rows.close();
  };
  const stored = async () =>
    [...(await readFoundRows(here.database.db, id))].map(([tool, found]) => [
      tool,
      found.place.items,
      found.foundAtMs,
    ]);

  it('is stored once, and again if it differs, at most once a minute', async () => {
    await observe('/a');
    nowMs += 1;
    await observe('/a');
    await observe('/b');
    expect(await stored()).toEqual([['list', '/a', 1_000_000]]);
    nowMs += MINUTE_MS;
    await observe('/a');
    expect(await stored()).toEqual([['list', '/a', 1_000_000]]);
    await observe('/b');
    expect(await stored()).toEqual([['list', '/b', nowMs]]);
  });

  it('is taken over by another process as it finds it', async () => {
    await observe('/a');
    rows = open();
    await observe('/c');
    expect((await stored()).map(([, items]) => items)).toEqual(['/c']);
  });

  it('is not stored of another tenant, of no registration, or beyond 4,000 characters', async () => {
    await observe('/a', entryOf('list'), here.theirs);
    await observe('/a', entryOf('other', 'other-api'));
    await observe(`/${'x'.repeat(4_000)}`, entryOf('long'));
    expect([await stored(), errors]).toEqual([[], []]);
  });

  it('is tried again after a minute if it cannot be stored', async () => {
    const { db } = here.database;
    await db.schema.alterTable('registration_rows').renameTo('away').execute();
    await observe('/a');
    await observe('/a');
    expect(errors).toMatchObject([{ code: 'internal' }]);
    await db.schema.alterTable('away').renameTo('registration_rows').execute();
    nowMs += MINUTE_MS;
    await observe('/a');
    expect((await stored()).map(([, items]) => items)).toEqual(['/a']);
  });

  it('stores at most 100 findings at once', async () => {
    for (let at = 0; at < 150; at++) rows.observe(entryOf(`tool${at}`), here.ours, place('/a'));
    await rows.close();
    expect(await stored()).toHaveLength(100);
  });

  it('goes with its registration', async () => {
    await observe('/a');
    await createRegistrationStore(here.deps).delete(here.ours, id);
    expect(await stored()).toEqual([]);
  });
});
