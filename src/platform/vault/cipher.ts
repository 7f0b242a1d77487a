import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { Secret } from '../kernel/secret.ts';

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
