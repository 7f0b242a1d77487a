import { readSettings } from '../../platform/config/settings.ts';
import type { Database } from '../../platform/database/database.ts';
import { systemClock } from '../../platform/kernel/clock.ts';
import { openVault } from '../../platform/vault/open-vault.ts';
import {
  createRegistrationStore,
  type RegistrationStore,
} from '../../registrations/store/registration-store.ts';
import { type DatabaseAccess, withDatabase } from '../shared/with-database.ts';

/** Opens the registrations of all tenants for one command. A gateway may be running at the same time. */
export const withRegistrations = <T>(
  access: Exclude<DatabaseAccess, 'create'>,
  use: (store: RegistrationStore, database: Database) => Promise<T>,
): Promise<T> =>
  withDatabase(access, async (database) => {
    const vault = openVault(readSettings(process.env));
    const deps = { db: database.db, vault, clock: systemClock, actor: 'cli' };
    return use(createRegistrationStore(deps), database);
  });
