import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { listAdminEvents } from '../../../test/support/admin-events.ts';
import { describeStores, type TestPlace } from '../../../test/support/databases.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import { MAX_ENTRIES_OF_PERSON } from '../trail/admin-trail.ts';
import { SESSION_SECONDS } from './auth.ts';
import { MAX_WAITING } from './passwords.ts';
import { MAX_SESSIONS } from './sessions.ts';
import { FAILURES_OF_ACCOUNT } from './sign-in.ts';
import { CLIENT, cookieOf, openPeople, PASSWORD, type TestPeople } from './testing/open-people.ts';

const EMAIL = 'ann@example.com';
const WRONG = new Secret('not the password');

describeStores('signing in', (backend) => {
  let place: TestPlace;
  let test: TestPeople;

  beforeEach(async () => {
    place = await backend.makePlace();
    test = await openPeople(place);
  });
  afterEach(async () => {
    await test.close();
    await place.remove();
  });

  const signIn = (password: Secret, changed: object = {}) =>
    test.people.signIn({ email: EMAIL, password, ...CLIENT, ...changed });

  it('gives a session cookie that identifies the person and its tenants', async () => {
    const { person, sessionId, cookie } = await test.person(EMAIL, 'admin');
    expect(person).toEqual({
      id: expect.stringMatching(/^person_[0-9A-Z]{26}$/),
      email: EMAIL,
      name: EMAIL,
      isOperator: false,
      memberships: [
        { tenantId: test.tenantId, tenantSlug: 'team', tenantName: 'team', role: 'admin' },
      ],
    });
    expect(await test.people.identify(cookie)).toMatchObject({ person, sessionId });
    expect(await test.replica().identify(`other=1; ${cookie}`)).toMatchObject({ person });
  });

  it('takes the address without regard to case', async () => {
    await test.person(EMAIL);
    expect(await signIn(PASSWORD, { email: ' Ann@Example.COM ' })).toMatchObject({
      identity: { person: { email: EMAIL } },
    });
  });

  it('starts a session of its own, whatever the browser sent', async () => {
    const first = await test.person(EMAIL);
    const { identity, cookies } = await signIn(PASSWORD);
    expect(identity.sessionId).not.toBe(first.sessionId);
    expect(cookieOf(cookies)).not.toBe(first.cookie);
  });

  it('refuses a wrong password and an unknown address alike, and in similar time', async () => {
    await test.person(EMAIL);
    const timed = async (email: string) => {
      const startMs = performance.now();
      const error = await signIn(WRONG, { email }).catch(({ code, message }) => ({
        code,
        message,
      }));
      return { error, ms: performance.now() - startMs };
    };
    const [known, unknown]: number[][] = [[], []];
    for (let n = 0; n < 4; n++) {
      for (const [email, times] of [
        [EMAIL, known],
        ['nobody@example.com', unknown],
      ] as const) {
        const { error, ms } = await timed(email);
        times?.push(ms);
        expect(error).toEqual({
          code: 'unauthenticated',
          message: 'The e-mail address or the password is wrong.',
        });
      }
    }
    // The fastest of each: other work on the machine only makes them slower.
    const [knownMs, unknownMs] = [Math.min(...(known ?? [])), Math.min(...(unknown ?? []))];
    expect(unknownMs).toBeGreaterThan(knownMs / 4);
    expect(knownMs).toBeGreaterThan(unknownMs / 4);
  });

  it('ignores cookies that it did not sign', async () => {
    const { cookie } = await test.person(EMAIL);
    const forged = cookie.replace(/\.[^.]+$/, `.${encodeURIComponent('A'.repeat(43))}%3D`);
    expect(await test.people.identify(forged)).toBeUndefined();
    expect(await test.people.identify('tool_gateway_session=abc')).toBeUndefined();
    expect(await test.people.identify('tool_gateway_session=')).toBeUndefined();
    expect(await test.people.identify(undefined)).toBeUndefined();
  });

  it('ends at sign-out, in every process within a second', async () => {
    const person = await test.person(EMAIL);
    const replica = test.replica();
    await replica.identify(person.cookie);
    const cookies = await test.people.signOut(person);
    expect(cookies).toEqual(['tool_gateway_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax']);
    expect(await test.people.identify(person.cookie)).toBeUndefined();
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(await replica.identify(person.cookie)).toBeUndefined();
  });

  it('prolongs a session that is more than a day old, and no other', async () => {
    const { cookie, sessionId } = await test.person(EMAIL);
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
    const update = test.database.db.updateTable('people_sessions').where('id', '=', sessionId);
    await update.set({ expires_at: inDays(6.5) }).execute();
    expect((await test.replica().identify(cookie))?.cookies).toEqual([]);
    await update.set({ expires_at: inDays(5.5) }).execute();
    const replica = test.replica();
    const [first, second] = [await replica.identify(cookie), await replica.identify(cookie)];
    expect(first?.cookies).toEqual([
      expect.stringMatching(/^tool_gateway_session=.+Max-Age=604800/),
    ]);
    expect(second).toEqual({ person: first?.person, sessionId });
    await update.set({ expires_at: inDays(-1) }).execute();
    expect(await test.replica().identify(cookie)).toBeUndefined();
  });

  it(`keeps the newest ${MAX_SESSIONS} sessions of a person`, async () => {
    const { cookie, person } = await test.person(EMAIL);
    const { db } = test.database;
    const row = await db.selectFrom('people_sessions').selectAll().executeTakeFirstOrThrow();
    const text = (time: string | Date) => new Date(time).toISOString();
    for (let n = 0; n < MAX_SESSIONS - 1; n++) {
      const values = {
        ...row,
        id: `ses_${n}`,
        token: `token ${n}`,
        expires_at: text(row.expires_at),
        created_at: new Date(Date.now() + 1000 + n).toISOString(),
        updated_at: text(row.updated_at),
      };
      await db.insertInto('people_sessions').values(values).execute();
    }
    expect(await test.replica().identify(cookie)).toBeDefined();
    await db
      .updateTable('people_sessions')
      .set({ created_at: new Date(Date.now() - 5000).toISOString() })
      .where('id', '!=', row.id)
      .execute();
    await db
      .updateTable('people_sessions')
      .set({ created_at: new Date(Date.now() - 9000).toISOString() })
      .where('id', '=', row.id)
      .execute();
    await signIn(PASSWORD);
    expect(await test.replica().identify(cookie)).toBeUndefined();
    expect(await test.people.sessions({ person, sessionId: '' })).toHaveLength(MAX_SESSIONS);
  });

  it('lists and ends the sessions of a person, and of no other', async () => {
    const ann = await test.person(EMAIL);
    const bob = await test.person('bob@example.com');
    const other = await signIn(PASSWORD, { userAgent: 'x'.repeat(1000) });
    const sessions = await test.people.sessions(ann);
    expect(sessions.map(({ id }) => id).sort()).toEqual(
      [ann.sessionId, other.identity.sessionId].sort(),
    );
    expect(sessions.find(({ id }) => id === ann.sessionId)).toMatchObject({
      clientIp: '192.0.2.1',
      userAgent: 'Test/1',
    });
    expect(Math.max(...sessions.map(({ userAgent }) => userAgent?.length ?? 0))).toBe(300);
    await expect(test.people.endSession(ann, bob.sessionId)).rejects.toThrow('does not exist');
    await test.people.endSession(ann, other.identity.sessionId);
    await signIn(PASSWORD);
    expect(await test.people.endOtherSessions(ann)).toBe(1);
    expect(await test.people.identify(cookieOf(other.cookies))).toBeUndefined();
    expect(await test.people.identify(ann.cookie)).toBeDefined();
    expect(await test.people.identify(bob.cookie)).toBeDefined();
  });

  it('lets a person change the password, which replaces its sessions by a new one', async () => {
    const ann = await test.person(EMAIL);
    const other = await signIn(PASSWORD);
    const next = new Secret('another good password');
    const change = (currentPassword: Secret, newPassword: Secret) =>
      test.people.changePassword(ann, {
        ...CLIENT,
        currentPassword,
        newPassword,
        endsApps: false,
      });
    await expect(change(WRONG, next)).rejects.toThrow('The current password is wrong.');
    for (const text of ['too short', 'x'.repeat(129)]) {
      await expect(change(PASSWORD, new Secret(text))).rejects.toThrow('12 to 128 characters');
    }
    const renewed = await test.people.identify(cookieOf(await change(PASSWORD, next)));
    expect(renewed?.person.id).toBe(ann.person.id);
    expect(renewed?.sessionId).not.toBe(ann.sessionId);
    expect(await test.people.identify(ann.cookie)).toBeUndefined();
    expect(await test.people.identify(cookieOf(other.cookies))).toBeUndefined();
    await expect(signIn(PASSWORD)).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(await signIn(next)).toBeDefined();
  });

  it('lets a person end its other sessions and change the password after all its other changes', async () => {
    const ann = await test.person(EMAIL);
    const rows = Array.from({ length: MAX_ENTRIES_OF_PERSON }, (_, n) => ({
      id: `adm_00${n}`,
      timestamp_ms: Date.now(),
      tenant_id: null,
      actor: ann.person.id,
      action: 'person.renamed',
      subject_id: ann.person.id,
      details: '{}',
    }));
    await test.database.db.insertInto('admin_events').values(rows).execute();
    await expect(test.people.rename(ann, 'Ann')).rejects.toMatchObject({ code: 'rate_limited' });
    await signIn(PASSWORD);
    expect(await test.people.endOtherSessions(ann)).toBe(1);
    const { identity: stolen } = await signIn(PASSWORD);
    await test.people.endSession(ann, stolen.sessionId);
    await signIn(PASSWORD);
    const next = new Secret('another good password');
    const passwords = { currentPassword: PASSWORD, newPassword: next };
    const cookies = await test.people.changePassword(ann, {
      ...CLIENT,
      ...passwords,
      endsApps: false,
    });
    expect(await test.people.sessions(ann)).toHaveLength(1);
    const renewed = await test.people.identify(cookieOf(cookies));
    expect(await test.people.endOtherSessions(renewed ?? ann)).toBe(0);
    const newest = await listAdminEvents(test.database.db, { limit: 3 });
    expect(newest).toMatchObject([
      { action: 'person.password_changed', details: { ended: 2 } },
      { action: 'person.sessions_ended', details: { ended: 1 } },
      { action: 'person.sessions_ended', details: { ended: 1 } },
    ]);
  });

  it('lets an operator reset a password, which ends every session', async () => {
    const ann = await test.person(EMAIL);
    const password = await test.people.resetPassword({ personId: ann.person.id, actor: 'cli' });
    expect(await test.people.identify(ann.cookie)).toBeUndefined();
    await expect(signIn(PASSWORD)).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(await signIn(password)).toBeDefined();
    await expect(
      test.people.resetPassword({ personId: 'person_x', actor: 'cli' }),
    ).rejects.toMatchObject({ code: 'not_found' });
  });

  it('keeps no password, and no secret of its own, in the clear', async () => {
    await test.person(EMAIL);
    const { db } = test.database;
    const account = await db.selectFrom('people_accounts').select('password').executeTakeFirst();
    expect(account?.password).toMatch(/^[0-9a-f]{32}:[0-9a-f]{128}$/);
    expect(await db.selectFrom('session_secrets').selectAll().execute()).toEqual([]);
    const secret = await db
      .selectFrom('secrets')
      .select('encrypted')
      .where('subject_id', '=', 'people')
      .executeTakeFirst();
    expect(secret?.encrypted).toMatch(/^v1\./);
  });
});

describeStores('guessing passwords', (backend) => {
  let place: TestPlace;
  let test: TestPeople;

  beforeEach(async () => {
    // No minute ends during a test, however slowly passwords are hashed.
    vi.useFakeTimers({ toFake: ['performance'] });
    place = await backend.makePlace();
    test = await openPeople(place, { failuresPerMinute: 3 });
  });
  afterEach(async () => {
    vi.useRealTimers();
    await test.close();
    await place.remove();
  });

  const attempt = (email: string, clientIp: string, password = WRONG) =>
    test.people
      .signIn({ email, password, clientIp, userAgent: undefined })
      .then(() => 'signed in')
      .catch(({ code }) => code);

  it('blocks an address, also for attempts at the same time, and no other address', async () => {
    await test.person(EMAIL);
    const codes = await Promise.all(
      Array.from({ length: 6 }, (_, n) => attempt(`${n}@example.com`, '198.51.100.1')),
    );
    expect(codes).toEqual([...Array(3).fill('unauthenticated'), ...Array(3).fill('rate_limited')]);
    expect(await attempt(EMAIL, '198.51.100.1', PASSWORD)).toBe('rate_limited');
    expect(await attempt(EMAIL, '198.51.100.2', PASSWORD)).toBe('signed in');
  });

  it('blocks an account, known or not, except where its person is signed in', {
    timeout: 180_000,
  }, async () => {
    await test.person(EMAIL);
    for (const email of [EMAIL, 'nobody@example.com']) {
      for (let n = 0; n < FAILURES_OF_ACCOUNT; n++) {
        expect(await attempt(email, `203.0.113.${n}`)).toBe('unauthenticated');
      }
      expect(await attempt(email, '203.0.113.200', PASSWORD)).toBe('rate_limited');
    }
    expect(await attempt(EMAIL, CLIENT.clientIp, PASSWORD)).toBe('signed in');
  });

  it('blocks an account also where the session of its person has expired', async () => {
    await test.person(EMAIL);
    for (let n = 0; n < FAILURES_OF_ACCOUNT; n++) await attempt(EMAIL, `203.0.113.${n}`);
    test.advance(SESSION_SECONDS * 1000);
    expect(await attempt(EMAIL, CLIENT.clientIp, PASSWORD)).toBe('rate_limited');
  });

  it('says when to retry', async () => {
    for (let n = 0; n < 3; n++) await attempt(EMAIL, '198.51.100.1');
    const refusal = test.people.signIn({
      email: EMAIL,
      password: WRONG,
      ...CLIENT,
      clientIp: '198.51.100.1',
    });
    await expect(refusal).rejects.toMatchObject({
      code: 'rate_limited',
      details: { retryAfterSeconds: expect.any(Number) },
    });
  });

  it(`lets ${MAX_WAITING} passwords wait, and refuses further ones`, async () => {
    const codes = await Promise.all(
      Array.from({ length: MAX_WAITING + 1 }, () => attempt(EMAIL, '198.51.100.1')),
    );
    expect(codes.filter((code) => code === 'overloaded')).toHaveLength(1);
  });
});

describe('cookies', () => {
  it('are bound to the host and secure if the gateway is reached over https', async () => {
    const { TEST_BACKENDS } = await import('../../../test/support/databases.ts');
    const place = await TEST_BACKENDS[0]?.makePlace();
    if (!place) throw new Error('No backend.');
    const test = await openPeople(place, { baseUrl: 'https://gateway.example.com' });
    await test.person(EMAIL);
    const { cookies, identity } = await test.people.signIn({
      email: EMAIL,
      password: PASSWORD,
      ...CLIENT,
    });
    expect(cookies).toHaveLength(1);
    expect(cookies[0]).toMatch(/^__Host-tool_gateway_session=[^;]+; /);
    expect(cookies[0]?.split('; ').slice(1).sort()).toEqual([
      'HttpOnly',
      'Max-Age=604800',
      'Path=/',
      'SameSite=Lax',
      'Secure',
    ]);
    expect(await test.people.identify(cookieOf(cookies))).toMatchObject(identity);
    await test.close();
    await place.remove();
  });
});
