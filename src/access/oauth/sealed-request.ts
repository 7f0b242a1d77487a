import { GatewayError } from '../../platform/kernel/error.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import type { Vault } from '../../platform/vault/vault.ts';
import { cookieValue } from '../people/sessions.ts';

/** A request for access, as text that only the gateway can read. */
export interface SealedRequest {
  readonly id: string;
  readonly sealed: string;
}

/** Where the consent page asks about a request: the browser sends the cookies nowhere else. */
const PATH = '/admin/api/connect';
const NAME = 'tool_gateway_connect_';
const SECONDS = 600;

/** Browsers store cookies of 4,096 characters, with their name and attributes. */
const MAX_PART = 3500;
const MAX_PARTS = 3;

/** Characters of a sealed request: a redirect address and a state of 2,048 characters each fit. */
export const MAX_SEALED = MAX_PART * MAX_PARTS;

/** The `Set-Cookie` values that tie a request to the browser that made it. */
export function connectCookies({ id, sealed }: SealedRequest, isSecure: boolean): string[] {
  const attributes = `Path=${PATH}/${id}; Max-Age=${SECONDS}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  return Array.from(
    { length: Math.ceil(sealed.length / MAX_PART) },
    (_, part) =>
      `${NAME}${part}=${sealed.slice(part * MAX_PART, (part + 1) * MAX_PART)}; ${attributes}`,
  );
}

/** The request in the header `Cookie`; empty text without one. */
export const connectCookieIn = (header: string | undefined): string =>
  Array.from({ length: MAX_PARTS }, (_, part) => cookieValue(header, `${NAME}${part}`) ?? '').join(
    '',
  );

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
