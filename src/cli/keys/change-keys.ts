import { type ApiKeyStore, createApiKeyStore } from '../../access/keys/api-key-store.ts';
import { createTenantStore } from '../../access/tenants/tenant-store.ts';
import type { Database } from '../../platform/database/database.ts';
import { systemClock } from '../../platform/kernel/clock.ts';
import { StartupError } from '../../platform/kernel/startup-error.ts';
import type { JsonOption } from '../shared/json-option.ts';
import { withDatabase } from '../shared/with-database.ts';
import { type KeyOptions, keyChangeOf, requireChange } from './key-options.ts';
import { createKeyView } from './key-view.ts';
import { warnUnmatched } from './warn-unmatched.ts';

/** Who may run commands on this machine is an operator. */
const depsOf = ({ db }: Database) => ({
  db,
  clock: systemClock,
  actor: 'cli',
  isOperator: true,
});

/** Prints what `use` returns. */
const withKeys = (
  use: (store: ApiKeyStore, database: Database) => Promise<string>,
): Promise<void> =>
  withDatabase('change', async (database) => {
    process.stdout.write(`${await use(createApiKeyStore(depsOf(database)), database)}\n`);
  });

export const createKey = ({
  json,
  ...options
}: KeyOptions & JsonOption & { tenant: string; name: string }): Promise<void> =>
  withDatabase('create', async (database) => {
    const deps = depsOf(database);
    const { id: tenantId } = await createTenantStore(deps).ensure(options.tenant);
    const key = { ...keyChangeOf(options), tenantId, name: options.name };
    const { text, record } = await createApiKeyStore(deps).create(key);
    const shown = json
      ? JSON.stringify({ key: text.reveal(), ...createKeyView()(record) })
      : text.reveal();
    process.stdout.write(`${shown}\n`);
    await warnUnmatched(key.allowedTools ?? [], record, database);
  });

export const revokeKey = (id: string): Promise<void> =>
  withKeys(async (store) => {
    await store.revoke({ id });
    return `Revoked ${id}.`;
  });

export const rotateKey = (
  id: string,
  { overlap, json }: JsonOption & { readonly overlap: number },
): Promise<void> =>
  withKeys(async (store) => {
    const { text, record, replaced } = await store.rotate({ id }, overlap);
    const end = replaced.revokedAtMs ?? replaced.expiresAtMs ?? 0;
    process.stderr.write(
      `${record.id} replaces ${id}, which ends at ${new Date(end).toISOString()}.\n`,
    );
    return json
      ? JSON.stringify({ key: text.reveal(), ...createKeyView()(record) })
      : text.reveal();
  });

export const changeKey = (id: string, options: KeyOptions): Promise<void> =>
  withKeys(async (store, database) => {
    const change = requireChange(keyChangeOf(options));
    const key = await store.change({ id }, change);
    await warnUnmatched(change.allowedTools ?? [], key, database);
    return `Changed ${id}.`;
  });

export async function allowTools(
  id: string,
  { tools, all }: { readonly tools?: readonly string[]; readonly all?: true },
): Promise<void> {
  if ((tools === undefined) === (all === undefined)) {
    throw new StartupError('Give either --tools with a list of names, or --all.');
  }
  await withKeys(async (store, database) => {
    const key = await store.change({ id }, { allowedTools: tools ?? null });
    await warnUnmatched(tools ?? [], key, database);
    return `${id} may use ${tools?.join(', ') || (tools ? 'no tool' : 'all tools')}.`;
  });
}
