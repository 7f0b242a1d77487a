import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { describeStores, type TestPlace } from '../../../test/support/databases.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import { createTenantStore } from '../tenants/tenant-store.ts';
import { proveAddress } from './change-people.ts';
import { MAX_CLAIMS } from './find-person.ts';
import type { Identity } from './person.ts';
import { FAILURES_OF_ACCOUNT } from './sign-in.ts';
import { CLIENT, cookieOf, openPeople, PASSWORD, type TestPeople } from './testing/open-people.ts';

const EMAIL = 'owner@example.com';
const SQUATTED = new Secret('the password of a squatter');
const OWN = new Secret('the password of the owner');

describeStores('an address that a tenant admin invites', (backend) => {
  let place: TestPlace;
  let test: TestPeople;
  let admin: Identity;
  let other: string;
  let squatter: { identity: Identity; cookie: string };

  beforeEach(async () => {
    place = await backend.makePlace();
    test = await openPeople(place);
    admin = await test.person('admin@example.com', 'admin');
    const tenants = createTenantStore({ db: test.database.db, clock: { now: () => 0 } });
    other = (await tenants.ensure('other')).id;
    squatter = await join(await invite(test.tenantId, 'admin'), SQUATTED);
  });
  afterEach(async () => {
    await test.close();
    await place.remove();
  });

  const invite = async (tenantId: string, role: 'admin' | 'viewer' = 'viewer') => {
    const actor = admin.person.id;
    return (await test.people.invite({ tenantId, email: EMAIL, role, actor })).token;
  };
  const join = async (token: Secret, password: Secret, more: object = {}) => {
    const { identity, cookies } = await test.people.join({
      token,
      name: 'Someone',
      password,
      identity: undefined,
      ...CLIENT,
      ...more,
    });
    return { identity, cookie: cookieOf(cookies) };
  };
  const signIn = async (password: Secret) =>
    (await test.people.signIn({ email: EMAIL, password, ...CLIENT })).identity.person;
  const slugs = ({ person }: Pick<Identity, 'person'>) =>
    person.memberships.map(({ tenantSlug }) => tenantSlug);
  const setOperator = (personId: string, isOperator = true) =>
    test.people.setOperator({ personId, isOperator, actor: 'cli' });
  const everyone = async () =>
    (await test.people.list({ limit: 100 })).people.filter(({ email }) => email === EMAIL);
  const isLockedOut = async () => {
    await expect(signIn(SQUATTED)).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(await test.people.identify(squatter.cookie)).toBeUndefined();
  };

  it('is unproved, and listed so', async () => {
    expect(await everyone()).toMatchObject([{ isProved: false }]);
    const { members } = await test.people.members({ tenantId: test.tenantId, limit: 10 });
    expect(members.map(({ email, isProved }) => [email, isProved])).toEqual([
      ['admin@example.com', true],
      [EMAIL, false],
    ]);
  });

  it('does not keep its owner out of another tenant, and opens neither tenant to the other', async () => {
    const token = await invite(other);
    expect(await test.people.invitation(token)).toMatchObject({ hasAccount: false });
    const owner = await join(token, OWN);
    expect(owner.identity.person).toMatchObject({ email: EMAIL, name: 'Someone' });
    expect([slugs(owner.identity), slugs(squatter.identity)]).toEqual([['other'], ['team']]);
    expect(slugs({ person: await signIn(OWN) })).toEqual(['other']);
    expect(slugs({ person: await signIn(SQUATTED) })).toEqual(['team']);
    expect((await test.people.identify(squatter.cookie))?.person.id).toBe(
      squatter.identity.person.id,
    );
    const { members } = await test.people.members({ tenantId: other, limit: 10 });
    expect(members).toMatchObject([{ email: EMAIL, personId: owner.identity.person.id }]);
    await expect(invite(other)).rejects.toMatchObject({ code: 'conflict' });
    expect(await everyone()).toHaveLength(2);
  });

  it('leads to the person whose password is given with the link, or whose session', async () => {
    const withPassword = await join(await invite(other), SQUATTED);
    expect(withPassword.identity.person.id).toBe(squatter.identity.person.id);
    expect(slugs(withPassword.identity)).toEqual(['other', 'team']);
    const tenants = createTenantStore({ db: test.database.db, clock: { now: () => 0 } });
    const third = (await tenants.ensure('third')).id;
    const { identity } = squatter;
    expect(slugs((await join(await invite(third), OWN, { identity })).identity)).toHaveLength(3);
  });

  it('keeps the passwords of its people apart, also when they choose the same', async () => {
    const owner = (await join(await invite(other), OWN)).identity;
    const change = { currentPassword: OWN, newPassword: SQUATTED, clientIp: CLIENT.clientIp };
    await expect(test.people.changePassword(squatter.identity, change)).rejects.toMatchObject({
      code: 'forbidden',
    });
    test.advance(1000);
    await test.people.changePassword(owner, change);
    // To try a password by choosing it leads to one's own account.
    expect((await signIn(SQUATTED)).id).toBe(owner.person.id);
    const salts = await test.database.db.selectFrom('people_accounts').select('password').execute();
    const ofAddress = salts.slice(1).map(({ password }) => password?.split(':')[0]);
    expect(new Set(ofAddress).size).toBe(1);
  });

  it('does not let one of its people guess the password of another', async () => {
    await join(await invite(other), OWN, { clientIp: '198.51.100.1' });
    const attempt = (password: Secret, clientIp: string) =>
      test.people.signIn({ email: EMAIL, password, clientIp, userAgent: undefined }).then(
        ({ identity }) => slugs(identity),
        ({ code }) => code,
      );
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    for (let n = 0; n < FAILURES_OF_ACCOUNT; n++) await attempt(PASSWORD, CLIENT.clientIp);
    expect(await attempt(OWN, CLIENT.clientIp)).toBe('unauthenticated');
    expect(await attempt(SQUATTED, CLIENT.clientIp)).toEqual(['team']);
    expect(await attempt(OWN, '198.51.100.1')).toEqual(['other']);
    expect(await attempt(OWN, '203.0.113.1')).toBe('rate_limited');
  });

  it("is proved by an operator's invitation, which replaces passwords and sessions", async () => {
    await join(await invite(other), OWN);
    await setOperator(admin.person.id);
    const tenants = createTenantStore({ db: test.database.db, clock: { now: () => 0 } });
    const token = await invite((await tenants.ensure('third')).id);
    expect(await test.people.invitation(token)).toMatchObject({ hasAccount: false });
    const owner = await join(token, PASSWORD, { name: 'Owner' });
    expect(slugs(owner.identity)).toEqual(['other', 'team', 'third']);
    expect(await everyone()).toMatchObject([{ name: 'Owner', isProved: true, tenants: 3 }]);
    await isLockedOut();
    await expect(signIn(OWN)).rejects.toMatchObject({ code: 'unauthenticated' });
    expect((await signIn(PASSWORD)).id).toBe(owner.identity.person.id);
    expect(owner.identity.person.id).not.toBe(squatter.identity.person.id);
  });

  it('is not proved by an operator who no longer is one', async () => {
    const boss = await test.person('boss@example.com');
    await setOperator(boss.person.id);
    await setOperator(admin.person.id);
    const token = await invite(other);
    await setOperator(admin.person.id, false);
    await join(token, OWN);
    expect(await everyone()).toMatchObject([{ isProved: false }, { isProved: false }]);
  });

  it('is proved by the new password that an operator hands over', async () => {
    const { id } = squatter.identity.person;
    await expect(setOperator(id)).rejects.toThrow('is unproved');
    const password = await test.people.resetPassword({ personId: id, actor: 'cli' });
    await isLockedOut();
    const owner = await signIn(password);
    expect(owner.memberships).toMatchObject([{ tenantSlug: 'team', role: 'admin' }]);
    expect(owner.id).not.toBe(id);
    await setOperator(owner.id);
  });

  it('is proved by creation on the command line, whose role counts', async () => {
    const memberships = [{ tenantId: test.tenantId, role: 'viewer' as const }];
    const person = { email: EMAIL, name: 'Owner', isOperator: false, memberships, actor: 'cli' };
    await test.people.create({ ...person, password: OWN });
    await isLockedOut();
    expect((await signIn(OWN)).memberships).toMatchObject([{ tenantSlug: 'team', role: 'viewer' }]);
    await expect(test.people.create({ ...person, password: OWN })).rejects.toMatchObject({
      code: 'conflict',
    });
  });

  it('is proved by the identity provider, also for an operator of an earlier version', async () => {
    const { db } = test.database;
    await db
      .updateTable('people_users')
      .set({ is_operator: 1 })
      .where('id', '=', squatter.identity.person.id)
      .execute();
    const deps = { db, clock: { now: () => Date.now() } };
    await proveAddress(deps, { email: EMAIL.toUpperCase(), name: ' '.repeat(200) });
    expect(await everyone()).toMatchObject([
      { name: EMAIL, isProved: true, isOperator: true, tenants: 1 },
    ]);
    const [before] = await everyone();
    await proveAddress(deps, { email: EMAIL, name: 'Again' });
    await proveAddress(deps, { email: 'nobody@example.com', name: 'Nobody' });
    expect(await everyone()).toEqual([before]);
  });

  it('once proved, requires the password of its owner', async () => {
    await test.people.resetPassword({ personId: squatter.identity.person.id, actor: 'cli' });
    const token = await invite(other);
    expect(await test.people.invitation(token)).toMatchObject({ hasAccount: true });
    await expect(join(token, OWN)).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('tells the trail who was replaced', async () => {
    await test.people.resetPassword({ personId: squatter.identity.person.id, actor: 'cli' });
    const rows = await test.database.db
      .selectFrom('admin_events')
      .selectAll()
      .where('actor', '=', 'cli')
      .orderBy('id')
      .execute();
    const entries = rows.map(({ action, tenant_id, details }) => [
      action,
      tenant_id,
      JSON.parse(details),
    ]);
    expect(entries).toEqual([
      [
        'person.created',
        null,
        {
          email: EMAIL,
          name: 'Someone',
          isOperator: false,
          isProved: true,
          replaces: [squatter.identity.person.id],
        },
      ],
      ['member.added', test.tenantId, { role: 'admin' }],
      ['person.password_reset', null, {}],
    ]);
  });

  it(`is claimed by at most ${MAX_CLAIMS} people, but an operator's invitation passes`, async () => {
    const { db } = test.database;
    const claims = Array.from({ length: MAX_CLAIMS - 1 }, (_, n) => `person_${n}`);
    const user = (id: string) => ({
      id,
      name: id,
      email: id,
      claimed_email: EMAIL,
      email_verified: 0,
      image: null,
    });
    await db.insertInto('people_users').values(claims.map(user)).execute();
    const token = await invite(other);
    await expect(join(token, OWN)).rejects.toThrow(`${MAX_CLAIMS} people claim`);
    await setOperator(admin.person.id);
    expect(slugs((await join(token, OWN)).identity)).toEqual(['other', 'team']);
    expect(await everyone()).toHaveLength(1);
  });
});
