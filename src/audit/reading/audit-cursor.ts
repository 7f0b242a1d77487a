import { GatewayError } from '../../platform/kernel/error.ts';

/** The last record of a page, after which the next page starts. */
export interface AuditPosition {
  readonly timestampMs: number;
  readonly auditId: string;
}

/** An opaque cursor for a position. */
export function encodeCursor(position: AuditPosition): string {
  return Buffer.from(`${position.timestampMs}.${position.auditId}`).toString('base64url');
}

const POSITION = /^(\d{1,15})\.(aud_\w{1,64})$/;

/** Throws GatewayError `invalid_request` for a cursor that `encodeCursor` did not create. */
export function decodeCursor(cursor: string): AuditPosition {
  const [, timestampMs, auditId] = POSITION.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (timestampMs === undefined || auditId === undefined) {
    throw new GatewayError(
      'invalid_request',
      'Invalid cursor. Omit it to start at the first page.',
    );
  }
  return { timestampMs: Number(timestampMs), auditId };
}
