import { GatewayError } from '../../platform/kernel/error.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import type { Vault } from '../../platform/vault/vault.ts';

/** What a sealed text is: one that is moved to another place cannot be opened there. */
export interface SealOf {
  readonly subjectId: string;
  readonly field: string;
}

/** A value as text that only this gateway can make and read, so that others can keep it. */
export const seal = (vault: Pick<Vault, 'encrypt'>, of: SealOf, value: object): string =>
  vault.encrypt(new Secret(JSON.stringify(value)), { tenantId: '', ...of });

/** The value of a sealed text; undefined for any other text. */
export function unseal<T>(vault: Pick<Vault, 'decrypt'>, of: SealOf, text: string): T | undefined {
  try {
    return JSON.parse(vault.decrypt(text, { tenantId: '', ...of }).reveal());
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'missing_secret') return undefined;
    throw error;
  }
}
