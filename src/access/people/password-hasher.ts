import { GatewayError } from '../../platform/kernel/error.ts';
import type { Secret } from '../../platform/kernel/secret.ts';
import type { Credential } from './find-person.ts';
import { findHash, hashPassword } from './scrypt-password.ts';

/** Passwords that wait to be hashed, 90 ms each. Beyond these, requests are refused. */
export const MAX_WAITING = 50;

/** Hashes passwords with scrypt, one at a time. */
export interface PasswordHasher {
  /** With `like`, the hash has the salt of that one. */
  hash(password: Secret, like?: string | null): Promise<string>;
  /**
   * Runs `check` when it is its turn, with a function that finds the credential of a password; without any, that takes
   * as long. Rejects with `overloaded` while too many wait.
   */
  inTurn<T>(check: (verify: Verify) => Promise<T>): Promise<T>;
}

export type Verify = (
  password: Secret,
  credentials: readonly Credential[],
) => Promise<Credential | undefined>;

/**
 * scrypt runs on the thread pool of Node.js, which look-ups of host names and files also use, and takes 32 MiB: two at a
 * time would delay calls.
 */
export function createPasswordHasher(): PasswordHasher {
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();

  const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    if (waiting >= MAX_WAITING) throw new GatewayError('overloaded');
    waiting++;
    const result = last.then(work);
    last = result.catch(() => undefined);
    try {
      return await result;
    } finally {
      waiting--;
    }
  };

  return {
    hash: (password, like) => inTurn(() => hashPassword(password, like)),
    inTurn: (check) => inTurn(() => check(verify)),
  };
}

const verify: Verify = async (password, credentials) => {
  const hashes = credentials.flatMap(({ hash }) => hash ?? []);
  if (hashes.length === 0) {
    await hashPassword(password);
    return undefined;
  }
  const found = await findHash(password, hashes);
  return found === undefined ? undefined : credentials.find(({ hash }) => hash === found);
};
