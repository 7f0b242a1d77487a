import type { Kysely } from 'kysely';
import { up as tenants } from './migrations/0001-tenants.ts';
import { up as apiKeys } from './migrations/0002-api-keys.ts';
import { up as auditRecords } from './migrations/0003-audit-records.ts';
import { up as changedKeys } from './migrations/0004-changed-keys.ts';
import type { Tables } from './tables.ts';

/** Steps by name; run in the order of their names, each once. */
export type Migrations = Readonly<Record<string, { up(db: Kysely<Tables>): Promise<void> }>>;

/** What `gateway.db` holds. */
export const GATEWAY_MIGRATIONS: Migrations = {
  '0001-tenants': { up: tenants },
  '0002-api-keys': { up: apiKeys },
  '0004-changed-keys': { up: changedKeys },
};

/** What `audit.db` holds, which is also the outbox towards PostgreSQL. */
export const AUDIT_MIGRATIONS: Migrations = {
  '0003-audit-records': { up: auditRecords },
};

/** A PostgreSQL server holds both. */
export const ALL_MIGRATIONS: Migrations = { ...GATEWAY_MIGRATIONS, ...AUDIT_MIGRATIONS };
