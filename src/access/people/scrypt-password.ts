import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { Secret } from '../../platform/kernel/secret.ts';

const derive = promisify<string, string, number, object, Buffer>(scrypt);

/**
 * The parameters and the format of better-auth, which would verify these hashes as well. They are computed here because
 * the first start would otherwise load that library. 90 ms and 32 MiB each, off the event loop.
 */
const PARAMETERS = { N: 16_384, r: 16, p: 1, maxmem: 128 * 16_384 * 16 * 2 };
const KEY_BYTES = 64;

const keyOf = (password: Secret, salt: string): Promise<Buffer> =>
  derive(password.reveal().normalize('NFKC'), salt, KEY_BYTES, PARAMETERS);

/** The hash to store of a password: `<salt>:<scrypt>` in hex. With `like`, it has the salt of that hash. */
export async function hashPassword(password: Secret, like?: string | null): Promise<string> {
  const salt = like?.split(':')[0] ?? randomBytes(16).toString('hex');
  return `${salt}:${(await keyOf(password, salt)).toString('hex')}`;
}

/** The first hash that is that of the password. Hashes with the same salt cost one computation. */
export async function findHash(
  password: Secret,
  hashes: readonly string[],
): Promise<string | undefined> {
  const keys = new Map<string, Buffer>();
  for (const hash of hashes) {
    const [salt = '', key = ''] = hash.split(':');
    const expected = Buffer.from(key, 'hex');
    const actual = keys.get(salt) ?? (await keyOf(password, salt));
    keys.set(salt, actual);
    if (expected.length === actual.length && timingSafeEqual(expected, actual)) return hash;
  }
  return undefined;
}
