import { Command } from 'commander';
import { GatewayError, StartupError } from '../../platform/kernel/error.ts';
import { systemClock as clock } from '../../platform/kernel/time.ts';
import { createVault } from '../../platform/vault/vault.ts';
import {
  createRegistrationOperations,
  type RegistrationOperationsDeps,
} from '../../registrations/operations.ts';
import { createRegistrationQueries } from '../../registrations/registrations.ts';
import { readDocument } from '../../registrations/store/documents.ts';
import { findRegistration } from '../../registrations/store/registration-record.ts';
import { addList, addOperation } from '../operations/add-operation.ts';
import type { Feature, OperationRunner } from '../operations/operation-runner.ts';
import { onlyHere } from '../shared/with-database.ts';

type RegistrationTable = ReturnType<typeof createRegistrationOperations>;

const none = () => Promise.reject(new GatewayError('internal'));

/** Registered APIs. No command deletes one, shows what calls it, or a job. */
const REGISTRATIONS: Feature<RegistrationTable> = {
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

const SHOW = 'GET /tenants/:tenant/registrations/:id';

export function registrationsCommand(): Command {
  const registrations = new Command('registrations').description(
    'Show the APIs that tenants have registered.',
  );
  addList(registrations, REGISTRATIONS, {
    operation: 'GET /tenants/:tenant/registrations',
    allTenantsOperation: 'GET /registrations',
    // Calls are counted by a running gateway only.
    rows: (output) =>
      output.registrations.map((each) => ({ ...each, calls: undefined, failures: undefined })),
    columns: {
      ID: ({ id }) => id,
      TENANT: ({ tenant }) => tenant,
      NAME: ({ name }) => name,
      TOOLS: ({ toolIds }) => String(toolIds.length),
      'BASE URL': ({ baseUrl }) => baseUrl,
    },
  });
  addOperation(registrations, REGISTRATIONS, {
    operation: SHOW,
    example: 'reg_01KA3Z2V8QK6D4T0N9XJ5W7M1C',
    moreOptions: (command) =>
      command.option('--document', 'print its stored description instead; on this machine only'),
    run: async ({ runner, input, options, send }) => {
      const { tools, ...shown } = await send();
      if (options['document']) return printDocument(runner, shown.id);
      const { report } = await runner.run(`${SHOW}/report`, { ...input });
      return {
        ...shown,
        // How they are called, only a running gateway knows.
        tools: tools.map(({ id, name, ownText, rows }) => ({ id, name, ownText, rows })),
        report,
      };
    },
  });
  return registrations;
}

async function printDocument(
  { on }: OperationRunner<RegistrationTable>,
  id: string,
): Promise<undefined> {
  if (!('database' in on)) throw onlyHere();
  if (process.stdout.isTTY) {
    throw new StartupError(
      'A description may contain what a terminal obeys. Redirect the output to a file.',
    );
  }
  const { db } = on.database;
  const { documentId } = await findRegistration(db, { id });
  process.stdout.write(await readDocument(db, documentId));
}
