import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { Secret } from '../../platform/kernel/secret.ts';

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
    hash: (password: Secret) => inTurn(() => hashPassword(password)),
    /** Runs `check` when it is its turn, with a function that verifies a password. */
    inTurn: <T>(check: (verify: typeof verifyPassword) => Promise<T>) =>
      inTurn(() => check(verifyPassword)),
  };
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

/** The hash to store of a password: `<salt>:<scrypt>` in hex. */
export async function hashPassword(password: Secret): Promise<string> {
  const salt = randomBytes(16).toString('hex');
  return `${salt}:${(await keyOf(password, salt)).toString('hex')}`;
}

/** Whether the hash belongs to the password. Without a hash it is not, which takes as long. */
export async function verifyPassword(password: Secret, hash: string | null): Promise<boolean> {
  const [salt = '', key = ''] = hash?.split(':') ?? [];
  const expected = Buffer.from(key, 'hex');
  const actual = await keyOf(password, salt);
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}
