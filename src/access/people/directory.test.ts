import { getMigrations } from 'better-auth/db/migration';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeStores, type TestPlace } from '../../../test/support/databases.ts';
import { newPersonId } from '../../platform/kernel/ids.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import { createVault } from '../../platform/vault/vault.ts';
import { AUTH_TABLES } from './auth.ts';
import { CLIENT, cookieOf, openPeople, PASSWORD, type TestPeople } from './testing/open-people.ts';

describeStores('the first start', (backend) => {
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

  const create = (email?: string, password = PASSWORD, personId = newPersonId()) =>
    test.replica().createFirstAdministrator({ tenantId: test.tenantId, personId, email, password });

  it('creates one administrator, whichever process is first', async () => {
    const created = await Promise.all([create(), create(), create()]);
    expect(created.filter((each) => each !== null)).toEqual(['admin@localhost']);
    const { identity } = await test.people.signIn({
      email: 'admin@localhost',
      password: PASSWORD,
      ...CLIENT,
    });
    expect(identity.person).toMatchObject({
      isOperator: true,
      memberships: [{ tenantSlug: 'team', role: 'admin' }],
    });
    expect(await create()).toBeNull();
  });

  it('takes the settings', async () => {
    expect(await create('Boss@Example.com', new Secret('p4ss'))).toBe('boss@example.com');
    expect(await create('other@example.com', PASSWORD)).toBeNull();
    expect(
      await test.people.signIn({
        email: 'boss@example.com',
        password: new Secret('p4ss'),
        ...CLIENT,
      }),
    ).toBeDefined();
  });

  it('knows the one that an earlier attempt created', async () => {
    const id = newPersonId();
    expect(await create('Boss@Example.com', PASSWORD, id)).toBe('boss@example.com');
    expect(await create('Boss@Example.com', PASSWORD, id)).toBe('boss@example.com');
    expect(await create()).toBeNull();
  });

  it('signs cookies with one secret for every process, with or without an encryption key', async () => {
    await create('boss@example.com', PASSWORD);
    const plain = () => test.replica({ vault: createVault(() => []) });
    for (const [one, two] of [
      [test.people, test.replica()],
      [plain(), plain()],
    ]) {
      const { cookies } = (await one?.signIn({
        email: 'boss@example.com',
        password: PASSWORD,
        ...CLIENT,
      })) ?? {
        cookies: [],
      };
      expect(await two?.identify(cookieOf(cookies))).toBeDefined();
    }
  });

  it('has the tables that better-auth expects', async () => {
    const { toBeCreated, toBeAdded } = await getMigrations({
      database: {
        db: test.database.db,
        type: test.database.backend === 'postgres' ? 'postgres' : 'sqlite',
      },
      secret: 'abcdefghijklmnopqrstuvwxyz0123456789',
      baseURL: 'http://localhost',
      logger: { disabled: true },
      ...AUTH_TABLES,
    });
    expect({ toBeCreated, toBeAdded }).toEqual({ toBeCreated: [], toBeAdded: [] });
  });
});
