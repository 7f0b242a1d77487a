import { afterEach, beforeEach, expect, it } from 'vitest';
import { listAdminEvents } from '../../../test/support/admin-events.ts';
import {
  describeStores,
  openTestDatabase,
  type TestPlace,
} from '../../../test/support/databases.ts';
import type { Database } from '../../platform/database/database.ts';
import {
  type AdminEntry,
  appendAdminEntry,
  MAX_DETAILS,
  MAX_ENTRIES_OF_PERSON,
  MAX_PROTECTIVE,
  reportSweep,
} from './admin-trail.ts';
import { createSecurityLog } from './security-log.ts';

const NOW = 1_764_000_000_123;

describeStores('the administrative trail', (backend) => {
  let place: TestPlace;
  let database: Database;

  beforeEach(async () => {
    place = await backend.makePlace();
    database = await openTestDatabase(place);
  });
  afterEach(async () => {
    await database.close();
    await place.remove();
  });

  const append = (entry: Partial<AdminEntry>) =>
    appendAdminEntry(database.db, {
      timestampMs: NOW,
      tenantId: 'ten_1',
      actor: 'cli',
      action: 'key.created',
      subjectId: 'key_1',
      details: {},
      ...entry,
    });
  const subjects = async (tenantId?: string, limit = 100) =>
    (await listAdminEvents(database.db, { tenantId, limit })).map(({ subjectId }) => subjectId);

  const renamePerson = async (times: number, actor = 'person_1') => {
    const rows = Array.from({ length: times }, (_, n) => ({
      id: `adm_0${n}`,
      timestamp_ms: NOW,
      tenant_id: null,
      actor,
      action: 'person.renamed',
      subject_id: 'person_1',
      details: '{}',
    }));
    await database.db.insertInto('admin_events').values(rows).execute();
  };

  it(`refuses more than ${MAX_ENTRIES_OF_PERSON} changes of one person within a day`, async () => {
    await renamePerson(MAX_ENTRIES_OF_PERSON - 1);
    await append({ actor: 'person_1' });
    await append({ actor: 'person_2' });
    await append({ actor: 'cli' });
    const later = { actor: 'person_1', timestampMs: NOW + 60_000 };
    await expect(append(later)).rejects.toMatchObject({
      code: 'rate_limited',
      details: { retryAfterSeconds: 86_340 },
    });
    await append({ actor: 'person_1', timestampMs: NOW + 86_400_000 });
  });

  it(`refuses more than ${MAX_ENTRIES_OF_PERSON} changes of one key, its registrations apart`, async () => {
    await renamePerson(MAX_ENTRIES_OF_PERSON, 'key_1');
    await expect(append({ actor: 'key_1' })).rejects.toMatchObject({ code: 'rate_limited' });
    await append({ actor: 'key_1', action: 'registration.changed' });
    await append({ actor: 'key_2' });
  });

  it('lets a person protect its account beyond them', async () => {
    await renamePerson(MAX_ENTRIES_OF_PERSON + MAX_PROTECTIVE - 1);
    await append({ actor: 'person_1', action: 'person.sessions_ended' });
    for (const action of ['person.password_changed', 'person.renamed'] as const) {
      const change = append({ actor: 'person_1', action });
      await expect(change).rejects.toMatchObject({ code: 'rate_limited' });
    }
    await append({ actor: 'person_2', action: 'person.sessions_ended' });
  });

  it('returns what was appended', async () => {
    await append({ details: { name: 'ci', allowedTools: null } });
    expect(await listAdminEvents(database.db, { limit: 1 })).toEqual([
      {
        id: expect.stringMatching(/^adm_/),
        timestamp: new Date(NOW).toISOString(),
        tenantId: 'ten_1',
        tenantSlug: null,
        actor: 'cli',
        actorEmail: null,
        action: 'key.created',
        subjectId: 'key_1',
        subjectEmail: null,
        details: { name: 'ci', allowedTools: null },
      },
    ]);
  });

  it('lists entries newest first: those of a tenant and those of all tenants, or everything', async () => {
    await append({ subjectId: 'a' });
    await append({ subjectId: 'b', tenantId: 'ten_2' });
    await append({ subjectId: 'c', tenantId: null });
    expect(await subjects()).toEqual(['c', 'b', 'a']);
    expect(await subjects(undefined, 2)).toEqual(['c', 'b']);
    expect(await subjects('ten_1')).toEqual(['c', 'a']);
  });

  it('stores only the start of long details', async () => {
    await append({ details: { name: '"'.repeat(100_000) } });
    const [row] = await database.db.selectFrom('admin_events').select('details').execute();
    expect(row?.details.length).toBeLessThanOrEqual(MAX_DETAILS);
    expect(await listAdminEvents(database.db, { limit: 1 })).toMatchObject([
      { details: { isCut: true, beginning: expect.stringMatching(/^\{"name":"/) } },
    ]);
  });

  it('deletes entries after a year, the oldest first and a few with each new one', async () => {
    const row = (n: number, timestamp_ms: number) => ({
      id: `adm_0${String(n).padStart(2, '0')}`,
      timestamp_ms,
      tenant_id: null,
      actor: 'cli',
      action: 'key.created',
      subject_id: `key_${n}`,
      details: '{}',
    });
    const yearAgo = NOW - 365 * 86_400_000;
    const old = Array.from({ length: 15 }, (_, n) => row(n, yearAgo - 1));
    await database.db
      .insertInto('admin_events')
      .values([...old, row(15, yearAgo)])
      .execute();
    await append({ subjectId: 'first' });
    expect(await subjects()).toEqual([
      'first',
      'key_15',
      'key_14',
      'key_13',
      'key_12',
      'key_11',
      'key_10',
    ]);
    await append({ subjectId: 'second' });
    expect(await subjects()).toEqual(['second', 'first', 'key_15']);
  });

  it('records a sweep, as do the log and the metric', async () => {
    const lines: unknown[] = [];
    const write = (line: object) => lines.push(line);
    const securityLog = createSecurityLog({ info: write, warn: write });
    const clock = { now: () => NOW };
    await reportSweep({ db: database.db, clock, securityLog }, { deleted: 7 });
    expect(await listAdminEvents(database.db, { limit: 1 })).toMatchObject([
      { tenantId: null, actor: 'retention', action: 'retention.swept', details: { deleted: 7 } },
    ]);
    expect(lines).toEqual([{ event: 'retention_swept', deleted: 7 }]);
    expect(securityLog.counts().retention_swept).toBe(1);
  });
});
