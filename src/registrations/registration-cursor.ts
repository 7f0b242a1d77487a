import { GatewayError } from '../platform/kernel/error.ts';
import { isRegistrationId } from './request/id-forms.ts';

/** An opaque cursor for the registration with which a page ends. */
export const encodeCursor = (id: string): string => Buffer.from(id).toString('base64url');

/** Throws `invalid_request` for a cursor that `encodeCursor` did not create. */
export function decodeCursor(cursor: string): string {
  const id = Buffer.from(cursor, 'base64url').toString();
  if (isRegistrationId(id)) return id;
  throw new GatewayError('invalid_request', 'Invalid cursor. Omit it to start at the first page.');
}
