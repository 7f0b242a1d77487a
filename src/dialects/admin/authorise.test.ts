import { expect, it } from 'vitest';
import type { Person } from '../../access/people/person.ts';
import type { AdminAccess } from './admin-route.ts';
import { authorise } from './authorise.ts';

const tenant = (slug: string) => ({ id: `ten_${slug}`, slug, name: slug, createdAtMs: 0 });
const member = (slug: string, role: 'admin' | 'viewer') => ({
  tenantId: `ten_${slug}`,
  tenantSlug: slug,
  tenantName: slug,
  role,
});
const person = (name: string, rest: Partial<Person>): Person => ({
  id: `person_${name}`,
  email: `${name}@example.com`,
  name,
  isOperator: false,
  memberships: [],
  ...rest,
});
const PEOPLE: Readonly<Record<string, Person>> = {
  operator: person('operator', { isOperator: true, memberships: [member('own', 'viewer')] }),
  admin: person('admin', { memberships: [member('own', 'admin')] }),
  viewer: person('viewer', { memberships: [member('own', 'viewer')] }),
  stranger: person('stranger', { memberships: [member('other', 'admin')] }),
};
const deps = {
  identify: async (cookie: unknown) => {
    const found = PEOPLE[String(cookie)];
    return found && { person: found, sessionId: 'one' };
  },
  findTenant: async (slug: string) => (['own', 'other'].includes(slug) ? tenant(slug) : undefined),
};
const outcome = (access: AdminAccess, who: string, tenantSlug = 'own') =>
  authorise(deps, access, { cookie: who, tenantSlug }).then(
    ({ role }) => role ?? 'admitted',
    ({ code }) => code,
  );

it.each<[AdminAccess, Readonly<Record<string, string>>]>([
  ['public', { nobody: 'admitted', viewer: 'admitted' }],
  ['person', { nobody: 'unauthenticated', stranger: 'admitted' }],
  [
    'viewer',
    {
      nobody: 'unauthenticated',
      stranger: 'not_found',
      viewer: 'viewer',
      admin: 'admin',
      operator: 'admin',
    },
  ],
  [
    'admin',
    {
      nobody: 'unauthenticated',
      stranger: 'not_found',
      viewer: 'forbidden',
      admin: 'admin',
      operator: 'admin',
    },
  ],
  ['operator', { nobody: 'unauthenticated', admin: 'forbidden', operator: 'admitted' }],
])('a route for %s', async (access, expected) => {
  for (const [who, result] of Object.entries(expected)) {
    expect(await outcome(access, who), who).toBe(result);
  }
});

it('lets an operator into every tenant that exists', async () => {
  expect(await outcome('admin', 'operator', 'other')).toBe('admin');
  expect(await outcome('viewer', 'operator', 'none')).toBe('not_found');
});
