import { GatewayError } from '../../platform/kernel/error.ts';
import { systemClock as clock } from '../../platform/kernel/time.ts';
import { createVault } from '../../platform/vault/vault.ts';
import {
  createRegistrationOperations,
  type RegistrationOperationsDeps,
} from '../../registrations/operations.ts';
import { createRegistrationQueries } from '../../registrations/registrations.ts';
import { findRegistration } from '../../registrations/store/registration-record.ts';
import type { Feature } from '../operations/operation-runner.ts';

export type RegistrationTable = ReturnType<typeof createRegistrationOperations>;

const none = () => Promise.reject(new GatewayError('internal'));

/** Registered APIs. No command deletes one, shows what calls it, or a job. */
export const REGISTRATIONS: Feature<RegistrationTable> = {
  declared: createRegistrationOperations({ registrations: {} } as RegistrationOperationsDeps),
  open: ({ database: { db } }) =>
    createRegistrationOperations({
      registrations: {
        // What is shown has no credentials.
        ...createRegistrationQueries({ db, clock, vault: createVault(() => []) }),
        ready: async () => undefined,
        status: none,
        delete: none,
      },
      catalog: { findById: () => undefined },
      statistics: { prefixCalls: async () => [] },
    }),
  tenantOf: async ({ database: { db } }, input) =>
    (await findRegistration(db, { id: String(Reflect.get(input, 'id')) })).tenantSlug,
};
