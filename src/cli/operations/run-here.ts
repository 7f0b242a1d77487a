import { readSettings } from '../../platform/config/settings.ts';
import { requireTenant } from '../shared/require-tenant.ts';
import { type DatabaseAccess, withDatabase } from '../shared/with-database.ts';
import type {
  Feature,
  LocalContext,
  OperationRunner,
  OperationTable,
  Run,
} from './operation-runner.ts';

/** Who may run commands on this machine is an operator. */
const ACTOR = { id: 'cli', isOperator: true };

/** Runs operations on the database of this machine. Options and stores check the inputs. */
export const runHere = <Table extends OperationTable>(
  feature: Feature<Table>,
  access: DatabaseAccess,
  use: (runner: OperationRunner<Table>) => Promise<void>,
): Promise<void> =>
  withDatabase(access, async (database) => {
    const settings = readSettings(process.env);
    const context: LocalContext = { database, settings, access, parts: [] };
    const operations = await feature.open(context);
    const run: Run = async (place, { tenant: slug, ...input }) => {
      const isOfTenant = place.includes('/:tenant');
      const meant = isOfTenant ? (slug ?? (await feature.tenantOf?.(context, input))) : undefined;
      const tenant =
        meant === undefined ? undefined : await requireTenant(database.db, String(meant));
      return operations[place]?.handle({ actor: ACTOR, tenant }, input);
    };
    try {
      await use({ run, either: ({ here }) => here(context) });
    } finally {
      for (const part of context.parts) await part.close();
    }
  });
