import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listAdminEvents } from '../../../test/support/admin-events.ts';
import { describeStores, type TestPlace } from '../../../test/support/databases.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import { createApiKeyStore } from '../keys/api-key-store.ts';
import { createTenantStore } from '../tenants/tenant-store.ts';
import { MAX_MEMBERS } from './change-people.ts';
import { isInvited, MAX_MEMBERSHIPS } from './find-person.ts';
import { INVITATION_MS, MAX_INVITATIONS } from './invitations.ts';
import type { Identity } from './person.ts';
import { CLIENT, cookieOf, openPeople, PASSWORD, type TestPeople } from './testing/open-people.ts';

const EMAIL = 'new@example.com';

describeStores('members of a tenant', (backend) => {
  let place: TestPlace;
  let test: TestPeople;
  let admin: Identity;

  beforeEach(async () => {
    place = await backend.makePlace();
    test = await openPeople(place);
    admin = await test.person('admin@example.com', 'admin');
  });
  afterEach(async () => {
    await test.close();
    await place.remove();
  });

  const invite = async (email = EMAIL, tenantId = test.tenantId) => {
    const actor = tenantId === test.tenantId ? admin.person.id : 'cli';
    const { token } = await test.people.invite({ tenantId, email, role: 'viewer', actor });
    return token;
  };
  /** Whether the link leads to a tenant. It then is among the pending ones, too. */
  const holds = async (token: Secret) => {
    const isOpen = await test.people.invitation(token).then(
      () => true,
      ({ code }) => code !== 'not_found',
    );
    expect(await test.people.invitations(test.tenantId)).toHaveLength(isOpen ? 1 : 0);
    expect(await isInvited(test.database.db, EMAIL, Date.now())).toBe(isOpen);
    return isOpen;
  };
  const join = (token: Secret, more: object = {}) =>
    test.people.join({
      token,
      name: 'New Person',
      password: PASSWORD,
      identity: undefined,
      ...CLIENT,
      ...more,
    });
  const actions = async () =>
    (await listAdminEvents(test.database.db, { limit: 10 })).map(({ action, actor }) => [
      action,
      actor,
    ]);
  /** Adds rows of people and memberships directly. */
  const addMembers = async (count: number, tenantId = test.tenantId) => {
    const people = Array.from({ length: count }, (_, n) => `person_${tenantId}_${n}`);
    const { db } = test.database;
    const user = (id: string) => ({
      id,
      name: id,
      email: `${id}@x`,
      email_verified: 0,
      image: null,
    });
    await db.insertInto('people_users').values(people.map(user)).execute();
    const member = (id: string) => ({
      person_id: id,
      tenant_id: tenantId,
      role: 'viewer' as const,
      created_at_ms: 0,
    });
    await db.insertInto('memberships').values(people.map(member)).execute();
    return people;
  };

  it('join once by invitation, with a name and a password of their own', async () => {
    const token = await invite(' New@Example.com');
    expect(await test.people.invitation(token)).toMatchObject({
      email: EMAIL,
      role: 'viewer',
      tenantName: 'team',
    });
    const { identity, cookies } = await join(token);
    expect(identity.person).toMatchObject({
      email: EMAIL,
      name: 'New Person',
      isOperator: false,
      memberships: [{ tenantSlug: 'team', role: 'viewer' }],
    });
    expect(await test.people.identify(cookieOf(cookies))).toMatchObject(identity);
    expect(await actions()).toEqual([
      ['member.added', identity.person.id],
      ['person.created', identity.person.id],
      ['invitation.created', admin.person.id],
      ['member.added', 'test'],
      ['person.created', 'test'],
      ['tenant.created', 'unknown'],
    ]);
    await expect(join(token)).rejects.toMatchObject({ code: 'not_found' });
    await expect(test.people.invitation(token)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('join once if they open the link twice at the same time', async () => {
    const token = await invite();
    const results = await Promise.allSettled([join(token), join(token)]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('choose a proper name, by default their address, and a password', async () => {
    const token = await invite();
    await expect(join(token, { password: new Secret('short') })).rejects.toThrow('12 to 128');
    await expect(join(token, { name: ' ' })).rejects.toThrow('Enter a name');
    await expect(join(token, { name: 'a\u202Eb' })).rejects.toThrow('Enter a name');
    await expect(join(token, { password: undefined })).rejects.toThrow('or choose one');
    const { identity } = await join(token, { name: undefined });
    expect(identity.person.name).toBe(EMAIL);
  });

  it('join a further tenant with the password or the session that they have', async () => {
    const tenants = createTenantStore({ db: test.database.db, clock: { now: () => 0 } });
    const ann = await test.person('ann@example.com');
    const [second, third] = [await tenants.ensure('b'), await tenants.ensure('c')];
    const token = await invite('ann@example.com', second.id);
    await expect(join(token, { password: new Secret('a wrong password') })).rejects.toMatchObject({
      code: 'unauthenticated',
    });
    await expect(join(token, { password: undefined, identity: admin })).rejects.toThrow(
      'Enter the password of the account ann@example.com',
    );
    expect((await join(token)).identity.person.memberships).toHaveLength(2);
    const withSession = await join(await invite('ann@example.com', third.id), {
      password: undefined,
      identity: ann,
    });
    expect(withSession.cookies).toEqual([]);
    expect(withSession.identity.person.memberships.map(({ tenantSlug }) => tenantSlug)).toEqual([
      'b',
      'c',
      'team',
    ]);
  });

  it('are not invited twice, and an old link stops working', async () => {
    const [first, second] = [await invite(), await invite()];
    await expect(test.people.invitation(first)).rejects.toMatchObject({ code: 'not_found' });
    await join(second);
    await expect(invite()).rejects.toMatchObject({ code: 'conflict' });
  });

  it('cannot use an invitation that expired or was withdrawn', async () => {
    const token = await invite();
    const [pending] = await test.people.invitations(test.tenantId);
    const id = pending?.id ?? '';
    const by = { id, actor: admin.person.id };
    await expect(
      test.people.withdrawInvitation({ ...by, tenantId: 'ten_other' }),
    ).rejects.toMatchObject({ code: 'not_found' });
    await test.people.withdrawInvitation({ ...by, tenantId: test.tenantId });
    await expect(join(token)).rejects.toMatchObject({ code: 'not_found' });
    const late = await invite();
    test.advance(INVITATION_MS);
    await expect(join(late)).rejects.toMatchObject({ code: 'not_found' });
    expect(await test.people.invitations(test.tenantId)).toEqual([]);
  });

  it('can use a withdrawn invitation once it is restored', async () => {
    const token = await invite();
    const [pending] = await test.people.invitations(test.tenantId);
    const by = { id: pending?.id ?? '', actor: admin.person.id, tenantId: test.tenantId };
    await test.people.withdrawInvitation(by);
    expect(await holds(token)).toBe(false);
    await expect(
      test.people.restoreInvitation({ ...by, tenantId: 'ten_other' }),
    ).rejects.toMatchObject({ code: 'not_found' });
    await test.people.restoreInvitation(by);
    expect(await holds(token)).toBe(true);
    await join(token);
    await expect(test.people.restoreInvitation(by)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('cannot restore an invitation after another one, nor for a member', async () => {
    const other = await test.person('other@example.com', 'admin');
    await invite();
    const [first] = await test.people.invitations(test.tenantId);
    const by = { id: first?.id ?? '', actor: other.person.id, tenantId: test.tenantId };
    await test.people.withdrawInvitation(by);
    await test.person(EMAIL, 'viewer');
    await expect(test.people.restoreInvitation(by)).rejects.toMatchObject({ code: 'conflict' });
    await invite('later@example.com');
    await expect(test.people.restoreInvitation(by)).rejects.toMatchObject({ code: 'not_found' });
  });

  describe('join only while who invited them may', () => {
    const tenantId = () => test.tenantId;
    const setOperator = (personId: string, isOperator: boolean) =>
      test.people.setOperator({ personId, isOperator, actor: 'cli' });
    const inviteBy = async (invitedBy: string, actor = invitedBy) => {
      const invitation = { tenantId: tenantId(), email: EMAIL, role: 'admin', actor } as const;
      return (await test.people.invite({ ...invitation, invitedBy })).token;
    };

    it('as an admin, who may be removed or get a lower role', async () => {
      const { id: personId } = (await test.person('ann@example.com', 'admin')).person;
      const target = { tenantId: tenantId(), personId, actor: admin.person.id };
      const token = await inviteBy(personId);
      expect(await holds(token)).toBe(true);
      await test.people.changeRole(target, 'viewer');
      expect(await holds(token)).toBe(false);
      await expect(join(token)).rejects.toMatchObject({ code: 'not_found' });
      // Such invitations make room, and work again with the role.
      await test.people.changeRole(target, 'admin');
      expect(await holds(token)).toBe(true);
      await test.people.removeMember(target);
      expect(await holds(token)).toBe(false);
      await invite('later@example.com');
      const rows = await test.database.db.selectFrom('invitations').select('email').execute();
      expect(rows).toEqual([{ email: 'later@example.com' }]);
    });

    it('as an operator', async () => {
      const { id } = (await test.person('boss@example.com', 'viewer')).person;
      for (const operator of [admin.person.id, id]) await setOperator(operator, true);
      const token = await inviteBy(id);
      expect(await holds(token)).toBe(true);
      await setOperator(id, false);
      expect(await holds(token)).toBe(false);
    });

    it('with an API key, which may end, or whose owner may lose the role', async () => {
      const { id: owner } = (await test.person('ann@example.com', 'admin')).person;
      const { db } = test.database;
      const clock = { now: Date.now };
      const key = (scope: 'admin' | 'operator', of: string, expiresAtMs?: number) =>
        createApiKeyStore({ db, clock, actor: of, isOperator: true })
          .create({ tenantId: tenantId(), name: 'k', scope, expiresAtMs })
          .then(({ record }) => record.id);
      const ofMachine = await key('admin', 'cli');
      const byMachine = await inviteBy(ofMachine);
      expect(await holds(byMachine)).toBe(true);
      await createApiKeyStore({ db, clock }).revoke({ id: ofMachine });
      expect(await holds(byMachine)).toBe(false);
      expect(await holds(await inviteBy(await key('admin', owner, Date.now() - 1), owner))).toBe(
        false,
      );
      // An admin has no say with a key for operators.
      expect(await holds(await inviteBy(await key('operator', owner), owner))).toBe(false);
      const byAdmin = await inviteBy(await key('admin', owner), owner);
      expect(await holds(byAdmin)).toBe(true);
      expect(await test.people.invitation(byAdmin)).toMatchObject({ isByOperator: false });
      await setOperator(owner, true);
      expect(await test.people.invitation(byAdmin)).toMatchObject({ isByOperator: false });
      await setOperator(admin.person.id, true);
      await setOperator(owner, false);
      const target = { tenantId: tenantId(), personId: owner, actor: admin.person.id };
      await test.people.changeRole(target, 'viewer');
      expect(await holds(byAdmin)).toBe(false);
    });

    it('as the machine', async () => {
      expect(await holds(await inviteBy('cli'))).toBe(true);
    });
  });

  it('are stored without the token of their invitation', async () => {
    const token = await invite();
    const rows = await test.database.db.selectFrom('invitations').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(token.reveal());
  });

  it(`have at most ${MAX_INVITATIONS} pending invitations; expired ones do not count`, async () => {
    for (let n = 0; n < MAX_INVITATIONS; n++) await invite(`${n}@example.com`);
    await expect(invite()).rejects.toThrow(`at most ${MAX_INVITATIONS} pending`);
    await invite('0@example.com');
    test.advance(INVITATION_MS);
    await invite();
    expect(await test.people.invitations(test.tenantId)).toHaveLength(1);
  });

  it(`are at most ${MAX_MEMBERS}, in pages`, async () => {
    await addMembers(MAX_MEMBERS - 2);
    await join(await invite());
    await expect(join(await invite('more@example.com'))).rejects.toThrow(`most ${MAX_MEMBERS} mem`);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await test.people.members({ tenantId: test.tenantId, cursor, limit: 99 });
      expect(page.count).toBe(MAX_MEMBERS);
      seen.push(...page.members.map(({ personId }) => personId));
      cursor = page.nextCursor ?? undefined;
    } while (cursor);
    expect(new Set(seen).size).toBe(MAX_MEMBERS);
  });

  it(`belong to at most ${MAX_MEMBERSHIPS} tenants`, async () => {
    const { db } = test.database;
    const ids = Array.from({ length: MAX_MEMBERSHIPS - 1 }, (_, n) => `ten_${n}`);
    const tenant = (id: string) => ({ id, slug: id, name: id, created_at_ms: 0 });
    await db.insertInto('tenants').values(ids.map(tenant)).execute();
    const membership = (id: string) => ({
      person_id: admin.person.id,
      tenant_id: id,
      role: 'viewer' as const,
      created_at_ms: 0,
    });
    await db.insertInto('memberships').values(ids.map(membership)).execute();
    await db.insertInto('tenants').values(tenant('ten_x')).execute();
    const token = await invite('admin@example.com', 'ten_x');
    await expect(join(token, { identity: admin })).rejects.toThrow(`most ${MAX_MEMBERSHIPS} ten`);
  });

  it('keep an administrator, also when two are demoted at the same time', async () => {
    const ann = await test.person('ann@example.com', 'admin');
    const change = (personId: string) =>
      test.people.changeRole({ tenantId: test.tenantId, personId, actor: 'x' }, 'viewer');
    const results = await Promise.allSettled([change(ann.person.id), change(admin.person.id)]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const { members } = await test.people.members({ tenantId: test.tenantId, limit: 10 });
    const last = members.find(({ role }) => role === 'admin')?.personId ?? '';
    const by = { tenantId: test.tenantId, personId: last, actor: 'x' };
    await expect(test.people.removeMember(by)).rejects.toMatchObject({ code: 'conflict' });
    await expect(
      test.people.changeRole({ ...by, personId: 'person_x' }, 'viewer'),
    ).rejects.toMatchObject({ code: 'not_found' });
  });

  it('lose access when they are removed, and are deleted with their last tenant', async () => {
    const ann = await test.person('ann@example.com');
    const by = { tenantId: test.tenantId, personId: ann.person.id, actor: admin.person.id };
    await test.people.changeRole(by, 'admin');
    expect((await test.people.identify(ann.cookie))?.person.memberships).toMatchObject([
      { role: 'admin' },
    ]);
    await test.people.removeMember(by);
    expect(await test.people.identify(ann.cookie)).toBeUndefined();
    expect((await actions()).slice(0, 3).map(([action]) => action)).toEqual([
      'person.deleted',
      'member.removed',
      'member.changed',
    ]);
    const { people } = await test.people.list({ limit: 10 });
    expect(people.map(({ email }) => email)).toEqual(['admin@example.com']);
  });

  it('who are operators stay, and the last operator stays one', async () => {
    const ann = await test.person('ann@example.com');
    const set = (personId: string, isOperator: boolean) =>
      test.people.setOperator({ personId, isOperator, actor: 'cli' });
    await set(ann.person.id, true);
    await test.people.removeMember({
      tenantId: test.tenantId,
      personId: ann.person.id,
      actor: 'x',
    });
    expect((await test.people.identify(ann.cookie))?.person).toMatchObject({
      isOperator: true,
      memberships: [],
    });
    await expect(set(ann.person.id, false)).rejects.toMatchObject({ code: 'conflict' });
    await set(admin.person.id, true);
    await set(ann.person.id, false);
    expect((await test.people.identify(ann.cookie))?.person.isOperator).toBe(false);
  });
});
