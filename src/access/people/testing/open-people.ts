import { pino } from 'pino';
import { openTestDatabase, type TestPlace } from '../../../../test/support/databases.ts';
import type { Database } from '../../../platform/database/database.ts';
import { Secret } from '../../../platform/kernel/secret.ts';
import { newEncryptionKey, readEncryptionKey } from '../../../platform/vault/cipher.ts';
import { createVault } from '../../../platform/vault/vault.ts';
import { createTenantStore } from '../../tenants/tenant-store.ts';
import { createSecurityLog } from '../../trail/security-log.ts';
import { type AllPeopleDeps, createPeople, type People } from '../people.ts';
import type { Identity } from '../person.ts';

export const PASSWORD = new Secret('correct horse battery');
export const CLIENT = { clientIp: '192.0.2.1', userAgent: 'Test/1' };

/** People on a test database. */
export interface TestPeople {
  readonly people: People;
  readonly database: Database;
  readonly tenantId: string;
  /** Moves the clock of the stores forwards. */
  advance(ms: number): void;
  /** People of another process on the same database. */
  replica(changed?: Partial<AllPeopleDeps>): People;
  /** A person in the tenant who is signed in. */
  person(email: string, role?: 'admin' | 'viewer'): Promise<Identity & { cookie: string }>;
  close(): Promise<void>;
}

export async function openPeople(
  place: TestPlace,
  changed: Partial<AllPeopleDeps> = {},
): Promise<TestPeople> {
  const database = await openTestDatabase(place);
  const key = readEncryptionKey(newEncryptionKey());
  const state = { ahead: 0 };
  const clock = { now: () => Date.now() + state.ahead };
  const logger = pino({ level: 'silent' });
  const replica: TestPeople['replica'] = (more = {}) =>
    createPeople({
      db: database.db,
      backend: database.backend,
      vault: createVault(() => [key]),
      clock,
      logger,
      securityLog: createSecurityLog(logger),
      baseUrl: 'http://localhost:8080',
      oidc: undefined,
      failuresPerMinute: 0,
      shared: () => ({}),
      ...changed,
      ...more,
    });
  const tenant = await createTenantStore({ db: database.db, clock }).ensure('team');
  const people = replica();
  return {
    people,
    database,
    tenantId: tenant.id,
    advance: (ms) => {
      state.ahead += ms;
    },
    replica,
    async person(email, role = 'viewer') {
      await people.create({
        email,
        name: email,
        password: PASSWORD,
        isOperator: false,
        memberships: [{ tenantId: tenant.id, role }],
        actor: 'test',
      });
      const { identity, cookies } = await people.signIn({ email, password: PASSWORD, ...CLIENT });
      return { ...identity, cookie: cookieOf(cookies) };
    },
    close: () => database.close(),
  };
}

/** The `Cookie` header that a browser sends after these `Set-Cookie` values. */
export const cookieOf = (cookies: readonly string[]): string =>
  cookies.map((each) => each.split(';')[0]).join('; ');
