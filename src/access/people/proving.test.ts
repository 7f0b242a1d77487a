import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { describeStores, type TestPlace } from '../../../test/support/databases.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import { createTenantStore } from '../tenants/tenant-store.ts';
import { proveAddress } from './change-people.ts';
import type { Identity } from './person.ts';
import { FAILURES_OF_ACCOUNT } from './sign-in.ts';
import { CLIENT, cookieOf, openPeople, type TestPeople } from './testing/open-people.ts';

const EMAIL = 'owner@example.com';
const SQUATTED = new Secret('the password of a squatter');
const OWN = new Secret('the password of the owner');

describeStores('an address of a person who joined by the link of a tenant admin', (backend) => {
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

  /** The admin invites, as an admin of that tenant, too. */
  const invite = async (tenantId: string, role: 'admin' | 'viewer' = 'viewer', email = EMAIL) => {
    const actor = admin.person.id;
    await test.database.db
      .insertInto('memberships')
      .values({ person_id: actor, tenant_id: tenantId, role: 'admin', created_at_ms: 0 })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    return (await test.people.invite({ tenantId, email, role, actor })).token;
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

  it('requires the password of its person with every link, and a wrong one changes nothing', async () => {
    const token = await invite(other);
    const refusal = {
      code: 'unauthenticated',
      message: expect.stringContaining('ask an operator'),
    };
    await expect(join(token, OWN)).rejects.toMatchObject(refusal);
    expect(await everyone()).toMatchObject([{ id: squatter.identity.person.id, tenants: 1 }]);
    expect(slugs({ person: await signIn(SQUATTED) })).toEqual(['team']);
    expect((await test.people.identify(squatter.cookie))?.person.id).toBe(
      squatter.identity.person.id,
    );
    expect(slugs((await join(token, SQUATTED)).identity)).toEqual(['other', 'team']);
    await expect(join(token, SQUATTED)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is no way to guess the password of its person', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const token = await invite(other);
    const guess = (password: Secret) =>
      join(token, password, { clientIp: '203.0.113.1' }).catch(({ code }) => code);
    for (let n = 0; n < FAILURES_OF_ACCOUNT; n++) expect(await guess(OWN)).toBe('unauthenticated');
    expect(await guess(SQUATTED)).toBe('rate_limited');
  });

  it('looks like a free one until its link is used', async () => {
    const shown = async (email: string) => {
      const token = await invite(other, 'viewer', email);
      const { id, createdAtMs, expiresAtMs, ...view } = await test.people.invitation(token);
      const refusals: string[] = [];
      for (const wrong of [
        { password: undefined },
        { password: new Secret('short') },
        { name: 'a\u202Eb' },
      ]) {
        const error = await join(token, OWN, wrong).catch(({ message }) => message);
        refusals.push(error.replace(email, 'the address'));
      }
      return { ...view, email: 'the address', refusals };
    };
    const free = await shown('free@example.com');
    expect(free.refusals.map((each) => each.slice(0, 6))).toEqual(['Enter ', 'Choose', 'Enter ']);
    expect(await shown(EMAIL)).toEqual(free);
    await test.people.resetPassword({ personId: squatter.identity.person.id, actor: 'cli' });
    expect(await shown(EMAIL)).toEqual(free);
  });

  it('goes to one person when two links for a free address are used at the same time', async () => {
    const email = 'free@example.com';
    const [first, second] = [
      await invite(test.tenantId, 'viewer', email),
      await invite(other, 'viewer', email),
    ];
    const results = await Promise.allSettled([join(first, OWN), join(second, SQUATTED)]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const [unused, password] = results[0].status === 'rejected' ? [first, SQUATTED] : [second, OWN];
    expect(slugs((await join(unused, password)).identity)).toEqual(['other', 'team']);
  });

  it("is proved by an operator's invitation, which replaces passwords and sessions", async () => {
    await setOperator(admin.person.id);
    const owner = await join(await invite(other), OWN, { name: 'Owner' });
    expect(slugs(owner.identity)).toEqual(['other', 'team']);
    expect(await everyone()).toMatchObject([{ name: 'Owner', isProved: true, tenants: 2 }]);
    await isLockedOut();
    expect((await signIn(OWN)).id).toBe(owner.identity.person.id);
    expect(owner.identity.person.id).not.toBe(squatter.identity.person.id);
  });

  it('is not proved by an operator who no longer is one', async () => {
    const boss = await test.person('boss@example.com');
    await setOperator(boss.person.id);
    await setOperator(admin.person.id);
    const token = await invite(other);
    await setOperator(admin.person.id, false);
    await expect(join(token, OWN)).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(await everyone()).toMatchObject([{ isProved: false }]);
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

  it('is proved by the identity provider, once', async () => {
    const deps = { db: test.database.db, clock: { now: () => Date.now() } };
    await proveAddress(deps, { email: EMAIL.toUpperCase(), name: ' '.repeat(200) });
    expect(await everyone()).toMatchObject([{ name: EMAIL, isProved: true, tenants: 1 }]);
    await isLockedOut();
    const [before] = await everyone();
    await proveAddress(deps, { email: EMAIL, name: 'Again' });
    await proveAddress(deps, { email: 'nobody@example.com', name: 'Nobody' });
    expect(await everyone()).toEqual([before]);
  });

  it("once proved, requires the password of its owner, also with an operator's link", async () => {
    await test.people.resetPassword({ personId: squatter.identity.person.id, actor: 'cli' });
    await setOperator(admin.person.id);
    await expect(join(await invite(other), OWN)).rejects.toMatchObject({ code: 'unauthenticated' });
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
          replaces: squatter.identity.person.id,
        },
      ],
      ['member.added', test.tenantId, { role: 'admin' }],
      ['person.password_reset', null, {}],
    ]);
  });
});
