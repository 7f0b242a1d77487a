import { createHash, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { RegistrationRequest } from '../request/registration-request.ts';

const DIGEST_BYTES = 32;
const derive = promisify<Buffer, Buffer, number, Buffer>(scrypt);

/**
 * A digest by which the same request is recognised: `<salt>.<scrypt>`. It is slow to compute, since the request may
 * contain a short password that a reader of the database could otherwise guess.
 */
export async function digestRequest(
  request: RegistrationRequest,
  salt = randomBytes(16),
): Promise<string> {
  const key = await derive(fingerprint(request), salt, DIGEST_BYTES);
  return `${salt.toString('base64url')}.${key.toString('base64url')}`;
}

/** Whether a stored digest is that of the request. */
export async function isSameRequest(
  request: RegistrationRequest,
  stored: string,
): Promise<boolean> {
  const salt = Buffer.from(stored.split('.')[0] ?? '', 'base64url');
  const digest = Buffer.from(await digestRequest(request, salt));
  return digest.length === stored.length && timingSafeEqual(digest, Buffer.from(stored));
}

function fingerprint({
  source,
  authentication,
  confirmedOrigins,
  ...rest
}: RegistrationRequest): Buffer {
  const { scheme, credentials } = authentication;
  const revealed = Object.entries(credentials).map(([field, secret]) => [field, secret.reveal()]);
  const url = 'url' in source ? source.url : null;
  const head = JSON.stringify([rest, scheme, revealed, url, ...confirmedOrigins]);
  const hash = createHash('sha256').update(head).update('\0');
  return ('document' in source ? hash.update(source.document) : hash).digest();
}
