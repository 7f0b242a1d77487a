import type { Secret } from '../../platform/kernel/secret.ts';
import type { SecretStore } from '../../platform/vault/secret-store.ts';
import type { CredentialField, Credentials } from '../request/registration-request.ts';
import type { RegistrationRecord } from '../store/registration-record.ts';

/** The credentials of a registration. Rejects with `missing_secret` if no key decrypts them. */
export async function readCredentials(
  secrets: Pick<SecretStore, 'fields' | 'get'>,
  { tenantId, id: subjectId }: Pick<RegistrationRecord, 'tenantId' | 'id'>,
): Promise<Credentials> {
  const credentials: Partial<Record<CredentialField, Secret>> = {};
  for (const field of await secrets.fields(tenantId, subjectId)) {
    const secret = await secrets.get({ tenantId, subjectId, field });
    if (secret) credentials[field as CredentialField] = secret;
  }
  return credentials;
}
