import { createHash, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { Secret } from '../kernel/secret.ts';

/** Length of a key for AES-256, in bytes. */
const KEY_BYTES = 32;

/** A key for secrets at rest. */
export interface EncryptionKey {
  /** Stored with each value that the key encrypts: 16 hexadecimal digits that do not reveal the key. */
  readonly id: string;
  readonly key: KeyObject;
}

/** Reads a key of 32 bytes in base64. Throws for any other text. */
export function readEncryptionKey(text: Secret): EncryptionKey {
  const bytes = Buffer.from(text.reveal(), 'base64');
  if (bytes.length !== KEY_BYTES) throw new Error('An encryption key has 32 bytes, in base64.');
  const id = createHash('sha256').update('tool-gateway key id').update(bytes).digest('hex');
  return { id: id.slice(0, 16), key: createSecretKey(bytes) };
}

export const newEncryptionKey = (): Secret => new Secret(randomBytes(KEY_BYTES).toString('base64'));
