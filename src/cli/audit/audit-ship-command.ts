import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { shipAudit } from '../../audit/ship-audit.ts';
import type { Database } from '../../platform/database/database.ts';
import { forgetReplica } from '../../platform/database/replica-registry.ts';
import { StartupError } from '../../platform/kernel/error.ts';
import { commandLine } from '../../platform/kernel/log-lines.ts';
import { count } from '../shared/output.ts';
import { withDatabase } from '../shared/with-database.ts';

export const auditShipCommand = (): Command =>
  new Command('ship')
    .description('Ship the records that wait in the DATA_DIR of a lost gateway to PostgreSQL.')
    .addOption(new Option('--from <dir>', 'the DATA_DIR of that gateway'))
    .addOption(
      new Option(
        '--forget <replica>',
        'only stop reporting a lost replica, whose directory no longer exists',
      ).conflicts('from'),
    )
    .addHelpText('after', '\nExample: tool-gateway audit ship --from /var/lib/tool-gateway-2')
    .action(ship);

async function ship({ from, forget }: { readonly from?: string; readonly forget?: string }) {
  if (from === undefined && forget === undefined) {
    throw new StartupError('Name the directory: --from <dir>.');
  }
  await withDatabase('change', async (database) => {
    if (database.backend !== 'postgres') {
      throw new StartupError('Set DATABASE_URL to the PostgreSQL server of the lost gateway.');
    }
    await (from === undefined ? forgetOne(forget ?? '', database) : shipFrom(from, database));
  });
}

async function shipFrom(dir: string, database: Database): Promise<void> {
  const from = resolve(dir);
  const { records, deadLetters, replicaId } = await shipAudit(from, database);
  const lines = [
    records > 0
      ? `Shipped ${count(records, 'record')} from ${from}.`
      : `No record waits in ${from}.`,
  ];
  if (replicaId) lines.push(`${replicaId} is no longer reported as lost.`);
  if (deadLetters > 0) {
    lines.push(
      `PostgreSQL refused ${count(deadLetters, 'record')}; to see them, run: DATA_DIR=${from} ${commandLine('audit dead-letters')}`,
    );
  }
  process.stdout.write(`${lines.join('\n')}\n`);
}

async function forgetOne(id: string, { db }: Database): Promise<void> {
  if (!(await forgetReplica(db, id))) {
    throw new StartupError(`There is no lost replica ${id}. /health/detailed lists them.`);
  }
  process.stdout.write(`${id} is no longer reported as lost.\n`);
}
