import type { Kysely } from 'kysely';
import { up as tenants } from './migrations/0001-tenants.ts';
import { up as apiKeys } from './migrations/0002-api-keys.ts';
import { up as auditRecords } from './migrations/0003-audit-records.ts';
import { up as changedKeys } from './migrations/0004-changed-keys.ts';
import { up as adminEvents } from './migrations/0005-admin-events.ts';
import { up as auditDeadLetters } from './migrations/0006-audit-dead-letters.ts';
import { up as auditLinks } from './migrations/0007-audit-links.ts';
import { up as secrets } from './migrations/0008-secrets.ts';
import { up as registrations } from './migrations/0009-registrations.ts';
import { up as registrationJobs } from './migrations/0010-registration-jobs.ts';
import { up as registrationVersions } from './migrations/0011-registration-versions.ts';
import { up as people } from './migrations/0012-people.ts';
import {
  upEmbedded as embeddedStatistics,
  upPostgres as postgresStatistics,
} from './migrations/0013-statistics.ts';
import { up as auditIndexes } from './migrations/0014-audit-indexes.ts';
import { up as keyLimits } from './migrations/0015-key-limits.ts';
import { up as providerKeys } from './migrations/0016-provider-keys.ts';
import { up as auditOutcomes } from './migrations/0017-audit-outcomes.ts';
import { up as keyMode } from './migrations/0018-key-mode.ts';
import { up as auditLinkMacs } from './migrations/0019-audit-link-macs.ts';
import { up as compiledTools } from './migrations/0020-compiled-tools.ts';
import { up as jobOrigins } from './migrations/0021-job-origins.ts';
import { up as claimedAddresses } from './migrations/0022-claimed-addresses.ts';
import { up as operatorRateLimit } from './migrations/0023-operator-rate-limit.ts';
import type { Tables } from './tables.ts';

/**
 * Migrations by name. Each runs once, in the order of the names. An older version of the gateway must be able to start
 * beside its tables: a migration that does more than add ends in `-incompatible`.
 */
export type Migrations = Readonly<Record<string, { up(db: Kysely<Tables>): Promise<void> }>>;

/** The tables of `gateway.db`. */
export const GATEWAY_MIGRATIONS: Migrations = {
  '0001-tenants': { up: tenants },
  '0002-api-keys': { up: apiKeys },
  '0004-changed-keys': { up: changedKeys },
  '0005-admin-events': { up: adminEvents },
  '0008-secrets': { up: secrets },
  '0009-registrations': { up: registrations },
  '0010-registration-jobs': { up: registrationJobs },
  '0011-registration-versions': { up: registrationVersions },
  '0012-people': { up: people },
  '0016-provider-keys': { up: providerKeys },
  '0015-key-limits': { up: keyLimits },
  '0018-key-mode': { up: keyMode },
  '0020-compiled-tools': { up: compiledTools },
  '0021-job-origins': { up: jobOrigins },
  '0022-claimed-addresses': { up: claimedAddresses },
  '0023-operator-rate-limit': { up: operatorRateLimit },
};

const SHIPPED_MIGRATIONS: Migrations = {
  '0003-audit-records': { up: auditRecords },
  '0007-audit-links': { up: auditLinks },
  '0014-audit-indexes': { up: auditIndexes },
  '0017-audit-outcomes': { up: auditOutcomes },
};

/** The tables of `audit.db`, which is also the outbox of PostgreSQL. */
export const AUDIT_MIGRATIONS: Migrations = {
  ...SHIPPED_MIGRATIONS,
  '0006-audit-dead-letters': { up: auditDeadLetters },
  '0013-statistics': { up: embeddedStatistics },
  '0019-audit-link-macs': { up: auditLinkMacs },
};

/** The tables on a PostgreSQL server. */
export const ALL_MIGRATIONS: Migrations = {
  ...GATEWAY_MIGRATIONS,
  ...SHIPPED_MIGRATIONS,
  '0013-statistics': { up: postgresStatistics },
};
