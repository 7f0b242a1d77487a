import { randomBytes, randomFillSync, randomUUID } from 'node:crypto';
import { monotonicFactory } from 'ulid';

/** Random numbers from 0 to 1 out of a pool: the library's own source asks the system 16 times for every id. */
function createPooledRandom(): () => number {
  const pool = Buffer.alloc(4096);
  let next = pool.length;
  return () => {
    if (next === pool.length) {
      randomFillSync(pool);
      next = 0;
    }
    return pool.readUInt8(next++) / 256;
  };
}

const nextUlid = monotonicFactory(createPooledRandom());

/** `aud_` + ULID: sortable by time (docs/contract.md#identifiers). */
export const newAuditId = (): string => `aud_${nextUlid()}`;

/** Unique over processes by its random part and within one by its number; made for every request, so cheaply. */
export const newRequestId = (): string => `req_${PROCESS}${(requests++).toString(36)}`;

const PROCESS = randomBytes(8).toString('hex');
let requests = 0;

/** `sse_` + 128 random bits: not guessable, since knowing one lets a caller aim an event (docs/contract.md#identifiers). */
export const newClientId = (): string => `sse_${randomUUID().replaceAll('-', '')}`;

export const newTenantId = (): string => `ten_${nextUlid()}`;

export const newApiKeyId = (): string => `key_${nextUlid()}`;

export const newAdminEventId = (): string => `adm_${nextUlid()}`;

/** Of one audit.db: `org_` + 64 random bits. */
export const newOriginId = (): string => `org_${randomBytes(8).toString('hex')}`;

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const KEY_DIGITS = 43; // 32 bytes need 43 base62 digits

/** `tg_live_` + 32 random bytes in base62, always of the same length (docs/contract.md#authentication). */
export function newApiKeyText(): string {
  let rest = BigInt(`0x${randomBytes(32).toString('hex')}`);
  let digits = '';
  for (let i = 0; i < KEY_DIGITS; i++) {
    digits = BASE62.charAt(Number(rest % 62n)) + digits;
    rest /= 62n;
  }
  return `tg_live_${digits}`;
}
