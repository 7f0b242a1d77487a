import type { Kysely } from 'kysely';
import { up as tenants } from './migrations/0001-tenants.ts';
import { up as apiKeys } from './migrations/0002-api-keys.ts';
import { up as auditRecords } from './migrations/0003-audit-records.ts';
import { up as changedKeys } from './migrations/0004-changed-keys.ts';
import { up as adminEvents } from './migrations/0005-admin-events.ts';
import { up as auditDeadLetters } from './migrations/0006-audit-dead-letters.ts';
import { up as auditLinks } from './migrations/0007-audit-links.ts';
import type { Tables } from './tables.ts';

/** Steps by name; run in the order of their names, each once. */
export type Migrations = Readonly<Record<string, { up(db: Kysely<Tables>): Promise<void> }>>;

/** What `gateway.db` holds. */
export const GATEWAY_MIGRATIONS: Migrations = {
  '0001-tenants': { up: tenants },
  '0002-api-keys': { up: apiKeys },
  '0004-changed-keys': { up: changedKeys },
  '0005-admin-events': { up: adminEvents },
};

const SHIPPED_MIGRATIONS: Migrations = {
  '0003-audit-records': { up: auditRecords },
  '0007-audit-links': { up: auditLinks },
};

/** What `audit.db` holds, which is also the outbox towards PostgreSQL. */
export const AUDIT_MIGRATIONS: Migrations = {
  ...SHIPPED_MIGRATIONS,
  '0006-audit-dead-letters': { up: auditDeadLetters },
};

/** What a PostgreSQL server holds. */
export const ALL_MIGRATIONS: Migrations = { ...GATEWAY_MIGRATIONS, ...SHIPPED_MIGRATIONS };
