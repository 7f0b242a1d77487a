import { randomBytes, randomUUID } from 'node:crypto';
import { monotonicFactory } from 'ulid';

const nextUlid = monotonicFactory();

/** `aud_` + ULID: sortable by time (contract "JSON-RPC"). */
export const newAuditId = (): string => `aud_${nextUlid()}`;

export const newRequestId = (): string => `req_${nextUlid()}`;

/** `sse_` + 128 random bits: not guessable, since knowing one lets a caller aim an event (specification "SSE client"). */
export const newClientId = (): string => `sse_${randomUUID().replaceAll('-', '')}`;

export const newTenantId = (): string => `ten_${nextUlid()}`;

export const newApiKeyId = (): string => `key_${nextUlid()}`;

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const KEY_DIGITS = 43; // 32 bytes need 43 base62 digits

/** `tg_live_` + 32 random bytes in base62, always of the same length (contract "HTTP"). */
export function newApiKeyText(): string {
  let rest = BigInt(`0x${randomBytes(32).toString('hex')}`);
  let digits = '';
  for (let i = 0; i < KEY_DIGITS; i++) {
    digits = BASE62.charAt(Number(rest % 62n)) + digits;
    rest /= 62n;
  }
  return `tg_live_${digits}`;
}
