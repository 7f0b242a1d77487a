import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { Secret } from '../../platform/kernel/secret.ts';
import type { Credential } from './find-person.ts';

/** Passwords that wait to be hashed, 90 ms each. Beyond these, requests are refused. */
export const MAX_WAITING = 50;

export type PasswordHasher = ReturnType<typeof createPasswordHasher>;

/**
 * Hashes passwords, one at a time: scrypt runs on the thread pool of Node.js, which look-ups of host names and files also
 * use, and takes 32 MiB. Two at a time would delay calls. Every method rejects with `overloaded` while too many wait.
 */
export function createPasswordHasher() {
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();

  const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    if (waiting >= MAX_WAITING) throw new GatewayError('overloaded');
    waiting++;
    const result = last.then(work).finally(() => waiting--);
    last = result.catch(() => undefined);
    return result;
  };

  return {
    /** With `like`, the hash has the salt of that one. */
    hash: (password: Secret, like?: string | null) => inTurn(() => hashPassword(password, like)),
    /** Runs `check` when it is its turn, with a function that finds the credential of a password. */
    inTurn: <T>(check: (verify: typeof findCredential) => Promise<T>) =>
      inTurn(() => check(findCredential)),
  };
}

/** The credential of a password; without any, finding none takes as long. */
async function findCredential(
  password: Secret,
  credentials: readonly Credential[],
): Promise<Credential | undefined> {
  const hashes = credentials.flatMap(({ hash }) => hash ?? []);
  if (hashes.length === 0) await hashPassword(password);
  const found = await findHash(password, hashes);
  return credentials.find(({ hash }) => hash !== null && hash === found);
}

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
