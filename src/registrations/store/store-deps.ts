import type { Kysely } from 'kysely';
import type { Tables } from '../../platform/database/tables.ts';
import type { Clock } from '../../platform/kernel/clock.ts';
import { createSecretStore, type SecretStore } from '../../platform/vault/secret-store.ts';
import type { Vault } from '../../platform/vault/vault.ts';
import type { Credentials } from '../request/registration-request.ts';

export interface StoreDeps {
  readonly db: Kysely<Tables>;
  readonly vault: Vault;
  readonly clock: Clock;
  /** Who changes registrations, for the administrative trail: the id of an API key, or `cli`. */
  readonly actor?: string;
}

/** The secrets in a transaction, so that they are stored and deleted together with their subject. */
export const secretsIn = (transaction: Kysely<Tables>, deps: StoreDeps): SecretStore =>
  createSecretStore({ db: transaction, vault: deps.vault, clock: deps.clock });

/** Stores the credentials of a job or a registration in place of its older ones. */
export async function replaceCredentials(
  secrets: SecretStore,
  { tenantId, subjectId }: { readonly tenantId: string; readonly subjectId: string },
  credentials: Credentials,
): Promise<void> {
  await secrets.delete(tenantId, subjectId);
  for (const [field, secret] of Object.entries(credentials)) {
    await secrets.put({ tenantId, subjectId, field }, secret);
  }
}

/** Gives a job's credentials to its registration. */
export async function moveCredentials(
  secrets: SecretStore,
  tenantId: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  for (const field of await secrets.fields(tenantId, from)) {
    const secret = await secrets.get({ tenantId, subjectId: from, field });
    if (secret) await secrets.put({ tenantId, subjectId: to, field }, secret);
  }
  await secrets.delete(tenantId, from);
}
