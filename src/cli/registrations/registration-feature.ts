import { GatewayError } from '../../platform/kernel/error.ts';
import { systemClock as clock } from '../../platform/kernel/time.ts';
import { openVault } from '../../platform/vault/vault.ts';
import {
  createRegistrationOperations,
  type RegistrationOperationsDeps,
} from '../../registrations/operations.ts';
import { createRegistrationQueries } from '../../registrations/registrations.ts';
import { createReviews } from '../../registrations/reviews.ts';
import { findRegistration } from '../../registrations/store/registration-record.ts';
import type { Feature } from '../operations/operation-runner.ts';

export type RegistrationTable = ReturnType<typeof createRegistrationOperations>;

const refuse = async (): Promise<never> => {
  throw new GatewayError('internal');
};

/** Registered APIs. No command compiles or deletes one, or shows what calls it; running gateways follow by themselves. */
export const REGISTRATIONS: Feature<RegistrationTable> = {
  declared: createRegistrationOperations({ registrations: {} } as RegistrationOperationsDeps),
  open: async ({ database: { db }, settings }) => {
    const vault = await openVault(settings, db);
    const stored = { db, clock, vault, serve: async () => undefined };
    const reviews = createReviews({
      ...stored,
      steps: { fetchDocument: refuse, findDocument: refuse, compile: refuse },
      isSharedName: () => false,
      recompilations: { run: refuse, close: refuse },
    });
    const ready = async () => undefined;
    return createRegistrationOperations({
      registrations: { ...createRegistrationQueries(stored), reviews, ready, delete: refuse },
      catalog: { findById: () => undefined },
      statistics: { prefixCalls: async () => [] },
    });
  },
  tenantOf: async ({ database: { db } }, input) =>
    (await findRegistration(db, { id: String(Reflect.get(input, 'id')) })).tenantSlug,
};
