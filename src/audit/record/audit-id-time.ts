import { decodeTime, encodeTime } from 'ulid';

const PREFIX = 'aud_';
const AUDIT_ID = /^aud_[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const TIME_DIGITS = 10;

/** When a call started, by its audit id, in milliseconds since the epoch; null for an id that the gateway did not create. */
export const auditIdTime = (auditId: string): number | null =>
  AUDIT_ID.test(auditId) ? decodeTime(auditId.slice(PREFIX.length)) : null;

/** Sorts after the audit id of every earlier call and before every other. */
export const auditIdAt = (ms: number): string =>
  `${PREFIX}${encodeTime(Math.max(0, Math.floor(ms)), TIME_DIGITS)}`;
