import {
  createPeopleOperations,
  type PeopleOperationsDeps,
} from '../../access/people/operations.ts';
import { createPasswordHasher } from '../../access/people/passwords.ts';
import { createDirectory } from '../../access/people/people.ts';
import { createTenantStore } from '../../access/tenants/tenant-store.ts';
import { StartupError } from '../../platform/kernel/error.ts';
import { systemClock as clock } from '../../platform/kernel/time.ts';
import type { Feature, OperationRunner, OperationTable } from '../operations/operation-runner.ts';
import { runThere } from '../operations/run-there.ts';

export type PeopleTable = ReturnType<typeof createPeopleOperations>;

/** The people and the tenants of a gateway. */
export const PEOPLE: Feature<PeopleTable> = {
  declared: createPeopleOperations({} as PeopleOperationsDeps),
  open: ({ database: { db } }) =>
    createPeopleOperations({
      people: createDirectory({ db, clock, hasher: createPasswordHasher() }),
      adminUrl: undefined,
    }),
};

/** Creates the tenant unless it exists. If an API key may not, the next request for the tenant says so. */
export const ensureTenant = async (
  { either }: Pick<OperationRunner<OperationTable>, 'either'>,
  slug: string,
): Promise<void> =>
  either({
    here: async ({ database: { db } }) => {
      await createTenantStore({ db, clock, actor: 'cli' }).ensure(slug);
    },
    there: (gateway) =>
      runThere(PEOPLE, gateway)
        .run('POST /tenants', { slug, name: slug })
        .catch((error: unknown) => {
          if (!(error instanceof StartupError)) throw error;
        }),
  });
