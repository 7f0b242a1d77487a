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

/** Registered APIs. No command deletes one, or shows what calls it. */
export const REGISTRATIONS: Feature<RegistrationTable> = {
  declared: createRegistrationOperations({ registrations: {} } as RegistrationOperationsDeps),
  open: ({ database: { db } }) =>
    createRegistrationOperations({
      registrations: {
        // What is shown has no credentials.
        ...createRegistrationQueries({ db, clock, vault: createVault(() => []) }),
        ready: async () => undefined,
        delete: async () => {
          throw new GatewayError('internal');
        },
      },
      catalog: { findById: () => undefined },
      statistics: { prefixCalls: async () => [] },
    }),
  tenantOf: async ({ database: { db } }, input) =>
    (await findRegistration(db, { id: String(Reflect.get(input, 'id')) })).tenantSlug,
};
