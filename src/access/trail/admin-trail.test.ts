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
  MAX_ENTRIES,
  MAX_ENTRIES_OF_PERSON,
  MAX_REGISTRATION_ENTRIES,
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

  it('lets a person protect its account beyond them, with one entry for each kind', async () => {
    await renamePerson(MAX_ENTRIES_OF_PERSON);
    for (let n = 0; n < 3; n++) {
      const details = { ended: n };
      await append({ actor: 'person_1', action: 'person.sessions_ended', details });
      await append({ actor: 'person_1', action: 'person.password_changed', details });
    }
    await append({ actor: 'person_2', action: 'person.sessions_ended' });
    const entries = await listAdminEvents(database.db, { limit: MAX_ENTRIES });
    const protective = entries.filter(
      ({ actor, action }) => actor === 'person_1' && action !== 'person.renamed',
    );
    expect(protective).toMatchObject([
      { action: 'person.password_changed', details: { ended: 2, repeated: 2 } },
      { action: 'person.sessions_ended', details: { ended: 2, repeated: 2 } },
    ]);
    expect(entries).toHaveLength(MAX_ENTRIES_OF_PERSON + 3);
    await expect(append({ actor: 'person_1' })).rejects.toMatchObject({ code: 'rate_limited' });
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

  it('stores a bounded number of entries', async () => {
    const old = Array.from({ length: MAX_ENTRIES + 10 }, (_, n) => ({
      id: `adm_0${String(n).padStart(6, '0')}`,
      timestamp_ms: NOW,
      tenant_id: null,
      actor: 'cli',
      action: 'key.created',
      subject_id: `key_${n}`,
      details: '{}',
    }));
    for (let i = 0; i < old.length; i += 1000) {
      await database.db
        .insertInto('admin_events')
        .values(old.slice(i, i + 1000))
        .execute();
    }
    await append({ subjectId: 'newest' });
    const kept = await subjects(undefined, MAX_ENTRIES + 100);
    expect(kept).toHaveLength(MAX_ENTRIES);
    expect([kept[0], kept.at(-1)]).toEqual(['newest', 'key_11']);
  });

  it('stores a bounded number of entries about the registrations of one tenant', async () => {
    const row = (tenant_id: string, action: string, n: number) => ({
      id: `adm_0${String(n).padStart(6, '0')}_${tenant_id}_${action}`,
      timestamp_ms: NOW,
      tenant_id,
      actor: 'key_1',
      action,
      subject_id: `${n}`,
      details: '{}',
    });
    const old = Array.from({ length: MAX_REGISTRATION_ENTRIES + 5 }, (_, n) => [
      row('ten_1', 'registration.changed', n),
      row('ten_2', 'registration.changed', n),
      row('ten_1', 'key.created', n),
    ]).flat();
    for (let i = 0; i < old.length; i += 1000) {
      await database.db
        .insertInto('admin_events')
        .values(old.slice(i, i + 1000))
        .execute();
    }
    await append({ action: 'registration.deleted', subjectId: 'newest' });
    const kept = await listAdminEvents(database.db, { limit: MAX_ENTRIES });
    const countOf = (tenantId: string, prefix: string) =>
      kept.filter((each) => each.tenantId === tenantId && each.action.startsWith(prefix)).length;
    expect(kept[0]).toMatchObject({ subjectId: 'newest' });
    expect(countOf('ten_1', 'registration.')).toBe(MAX_REGISTRATION_ENTRIES);
    expect(countOf('ten_2', 'registration.')).toBe(MAX_REGISTRATION_ENTRIES + 5);
    expect(countOf('ten_1', 'key.')).toBe(MAX_REGISTRATION_ENTRIES + 5);
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
