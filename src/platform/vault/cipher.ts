import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { Secret } from '../kernel/secret.ts';
import type { EncryptionKey } from './encryption-key.ts';

/** Whose secret it is. A value that is moved to another row or column cannot be decrypted there. */
export interface SecretOwner {
  readonly tenantId: string;
  /** For example a registration. */
  readonly subjectId: string;
  /** For example `token`. */
  readonly field: string;
}

const ALGORITHM = 'aes-256-gcm';
const VERSION = 'v1';
/** NIST SP 800-38D, section 8.2: 96 random bits, for far fewer than 2^32 values a key. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A JSON array, so that no two owners have the same associated data. */
const associatedData = ({ tenantId, subjectId, field }: SecretOwner): Buffer =>
  Buffer.from(JSON.stringify([VERSION, tenantId, subjectId, field]));

/** Encrypts a secret as `v1.<key id>.<nonce, ciphertext and tag in base64url>`. */
export function encrypt({ id, key }: EncryptionKey, secret: Secret, owner: SecretOwner): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(associatedData(owner));
  const bytes = [
    nonce,
    cipher.update(secret.reveal(), 'utf8'),
    cipher.final(),
    cipher.getAuthTag(),
  ];
  return `${VERSION}.${id}.${Buffer.concat(bytes).toString('base64url')}`;
}

/** The id of the key that encrypted a value; undefined for text that `encrypt` did not return. */
export function keyIdOf(encrypted: string): string | undefined {
  const [version, id, bytes] = encrypted.split('.');
  return version === VERSION && bytes !== undefined ? id : undefined;
}

/** Throws if the value was changed, belongs to another owner, or was encrypted with another key. */
export function decrypt({ key }: EncryptionKey, encrypted: string, owner: SecretOwner): Secret {
  const bytes = Buffer.from(encrypted.split('.')[2] ?? '', 'base64url');
  if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new Error('The encrypted value is too short.');
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(associatedData(owner));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
  return new Secret(Buffer.concat([text, decipher.final()]).toString());
}
