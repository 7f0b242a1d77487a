import { randomBytes, randomFillSync, randomUUID } from 'node:crypto';
import { incrementBase32, TIME_LEN, ulid } from 'ulid';

/** Random numbers from 0 to 1 from a pool: the library's own source makes 16 system calls for every id. */
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

/**
 * Creates ULIDs that sort in the order of their creation, like the library's own factory does, which encodes the time
 * of each: twice as many bytes.
 */
function createNextUlid(): () => string {
  const random = createPooledRandom();
  let latestMs = 0;
  let time = '';
  let rest = '';
  return () => {
    const nowMs = Date.now();
    if (nowMs > latestMs) {
      const first = ulid(nowMs, random);
      latestMs = nowMs;
      time = first.slice(0, TIME_LEN);
      rest = first.slice(TIME_LEN);
    } else rest = incrementBase32(rest);
    return time + rest;
  };
}

const nextUlid = createNextUlid();

/** `aud_` + ULID: sortable by time (docs/contract.md#identifiers). */
export const newAuditId = (): string => `aud_${nextUlid()}`;

/** Unique across processes by its random part, and within one by its number. Cheap, since every request gets one. */
export const newRequestId = (): string => `req_${PROCESS}${(requests++).toString(36)}`;

const PROCESS = randomBytes(8).toString('hex');
let requests = 0;

/** `sse_` + 128 random bits: not guessable, since a caller who knows one can direct events to it (docs/contract.md#identifiers). Ends with the replica that holds it, if there are several. */
export const newClientId = (replica = ''): string =>
  `sse_${randomUUID().replaceAll('-', '')}${replica && `_${replica}`}`;

export const newTenantId = (): string => `ten_${nextUlid()}`;
export const newApiKeyId = (): string => `key_${nextUlid()}`;
export const newJobId = (): string => `job_${nextUlid()}`;
export const newProposalId = (): string => `prp_${nextUlid()}`;
export const newRegistrationId = (): string => `reg_${nextUlid()}`;
export const newReplicaId = (): string => `rep_${nextUlid()}`;
export const newDocumentId = (): string => `doc_${nextUlid()}`;
export const newAdminEventId = (): string => `adm_${nextUlid()}`;
export const newPersonId = (): string => `person_${nextUlid()}`;
/** Of a person's session, of its ways to sign in, and of an invitation. */
export const newSessionId = (): string => `ses_${nextUlid()}`;
export const newAccountId = (): string => `acc_${nextUlid()}`;
/** Of a client that an operator creates for sign-in from hosts. */
export const newOAuthClientId = (): string => `oac_${nextUlid()}`;
export const newInvitationId = (): string => `inv_${nextUlid()}`;

/** Whether an actor is a person, and not an API key. */
export const isPersonId = (id: string): boolean => id.startsWith('person_');

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const KEY_DIGITS = 43; // 32 bytes need 43 base62 digits

/** Random digits in base62. The 43 of a key hold 32 bytes. */
function randomDigits(count = KEY_DIGITS): string {
  let rest = BigInt(`0x${randomBytes(32).toString('hex')}`);
  let digits = '';
  for (let i = 0; i < count; i++) {
    digits = BASE62.charAt(Number(rest % 62n)) + digits;
    rest /= 62n;
  }
  return digits;
}

/** `tg_live_` + 32 random bytes (docs/contract.md#authentication). */
export const newApiKeyText = (): string => `tg_live_${randomDigits()}`;

/** What a host gets when a person has connected it (docs/contract.md#sign-in-from-hosts). */
export const newAuthorizationCode = (): string => `tg_ac_${randomDigits()}`;
/** Without its check part (docs/contract.md#sign-in-from-hosts): 136 random bits. */
export const newAccessToken = (): string => `tg_at_${randomDigits(TOKEN_DIGITS)}`;
/** It names its grant, so that it is known even when nothing is stored of it any more. */
export const newRefreshToken = (grantId: string): string =>
  `tg_rt_${grantId.slice('key_'.length)}${randomDigits(TOKEN_DIGITS)}`;
export const newClientSecret = (): string => `tg_cs_${randomDigits()}`;

/** Of one request of a host for access: 128 random bits. */
export const newConnectionId = (): string => randomBytes(16).toString('base64url');

/** Random digits of a token, and hexadecimal ones of its check part. */
const TOKEN_DIGITS = 23;
export const CHECK_DIGITS = 20;

const REFRESH_TOKEN = /^tg_rt_([0-9A-Z]{26})[0-9A-Za-z]{43}$/;

/** The grant that a text names if it has the form of a refresh token. */
export function grantOf(text: string): string | undefined {
  const ulid = REFRESH_TOKEN.exec(text)?.[1];
  return ulid && `key_${ulid}`;
}

const ACCESS_TOKEN = /^tg_at_[0-9A-Za-z]{43}$/;

/** Whether the text has the form of an access token. */
export const isAccessToken = (text: string): boolean => ACCESS_TOKEN.test(text);

const API_KEY_TEXT = /^tg_live_[0-9A-Za-z]{43}$/;

/** Whether the text has the form of an API key (docs/contract.md#authentication). */
export const isApiKeyText = (text: string): boolean => API_KEY_TEXT.test(text);
