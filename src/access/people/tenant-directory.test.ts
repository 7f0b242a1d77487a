import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeStores, type TestPlace } from '../../../test/support/databases.ts';
import { MAX_TENANTS } from './tenant-directory.ts';
import { openPeople, type TestPeople } from './testing/open-people.ts';

describeStores('the tenants of operators', (backend) => {
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

  const create = (slug: string, name = slug) =>
    test.people.createTenant({ slug, name, actor: 'person_x' });

  it('are created once, renamed, and listed in pages with their counts', async () => {
    await create('a', '가');
    await expect(create('a')).rejects.toMatchObject({ code: 'conflict' });
    await expect(create('Bad Slug')).rejects.toMatchObject({ code: 'invalid_arguments' });
    await expect(create('b', ' ')).rejects.toMatchObject({ code: 'invalid_arguments' });
    await test.person('ann@example.com');
    await test.people.renameTenant({ slug: 'team', name: 'The team', actor: 'person_x' });
    await expect(
      test.people.renameTenant({ slug: 'none', name: 'x', actor: 'person_x' }),
    ).rejects.toMatchObject({ code: 'not_found' });
    const first = await test.people.tenants({ limit: 1 });
    expect(first).toMatchObject({
      tenants: [{ slug: 'a', name: '가', members: 0 }],
      nextCursor: 'a',
    });
    expect(await test.people.tenants({ limit: 1, cursor: 'a' })).toMatchObject({
      tenants: [{ slug: 'team', name: 'The team', members: 1, keys: 0, registrations: 0 }],
      nextCursor: null,
    });
  });

  it(`are at most ${MAX_TENANTS}`, async () => {
    const rows = Array.from({ length: MAX_TENANTS - 2 }, (_, n) => ({
      id: `ten_${n}`,
      slug: `t${n}`,
      name: 'x',
      created_at_ms: 0,
    }));
    await test.database.db.insertInto('tenants').values(rows).execute();
    await create('last');
    await expect(create('more')).rejects.toThrow(`${MAX_TENANTS} tenants`);
  });
});
