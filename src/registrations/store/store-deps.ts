import type { Kysely } from 'kysely';
import { runQuery } from '../../platform/database/database-error.ts';
import type { Tables } from '../../platform/database/tables.ts';
import type { Secret } from '../../platform/kernel/secret.ts';
import type { Clock } from '../../platform/kernel/time.ts';
import { createSecretStore, type SecretStore } from '../../platform/vault/secret-store.ts';
import type { Vault } from '../../platform/vault/vault.ts';
import type { Credentials } from '../request/registration-request.ts';

export interface StoreDeps {
  /** The database, or one transaction in it. */
  readonly db: Kysely<Tables>;
  readonly vault: Vault;
  readonly clock: Clock;
  /** Who changes registrations, for the administrative trail: the id of an API key, or `cli`. */
  readonly actor?: string;
}

/** Runs work whose `db` is one transaction: secrets, too, are stored and deleted together with their subject. */
export const inTransaction = <Deps extends StoreDeps, T>(
  deps: Deps,
  work: (deps: Deps) => Promise<T>,
): Promise<T> => runQuery(() => deps.db.transaction().execute((db) => work({ ...deps, db })));

/** What the credentials of a job or a registration belong to. */
interface CredentialOwner {
  readonly tenantId: string;
  readonly id: string;
}

/** Rejects with `missing_secret` if no key decrypts them. */
export async function readCredentials(
  secrets: Pick<SecretStore, 'fields' | 'get'>,
  { tenantId, id: subjectId }: CredentialOwner,
): Promise<Credentials> {
  const credentials: Record<string, Secret> = {};
  for (const field of await secrets.fields(tenantId, subjectId)) {
    const secret = await secrets.get({ tenantId, subjectId, field });
    if (secret) credentials[field] = secret;
  }
  return credentials;
}

/** Stores credentials in place of older ones. */
export async function replaceCredentials(
  deps: StoreDeps,
  { tenantId, id: subjectId }: CredentialOwner,
  credentials: Credentials,
): Promise<void> {
  const secrets = createSecretStore(deps);
  await secrets.delete(tenantId, subjectId);
  for (const [field, secret] of Object.entries(credentials)) {
    await secrets.put({ tenantId, subjectId, field }, secret);
  }
}
