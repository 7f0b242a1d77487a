import { GatewayError } from '../../platform/kernel/error.ts';
import type { Secret } from '../../platform/kernel/secret.ts';
import { hashPassword, verifyPassword } from './scrypt-password.ts';

/** Passwords that wait to be hashed, 90 ms each. Beyond these, requests are refused. */
export const MAX_WAITING = 50;

/** Hashes passwords with scrypt, one at a time. */
export interface PasswordHasher {
  hash(password: Secret): Promise<string>;
  /**
   * Runs `check` when it is its turn, with a function that compares a password with a hash; without a hash, that takes
   * as long and returns false. Rejects with `overloaded` while too many wait.
   */
  inTurn<T>(check: (verify: Verify) => Promise<T>): Promise<T>;
}

export type Verify = (password: Secret, hash: string | null | undefined) => Promise<boolean>;

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
    hash: (password) => inTurn(() => hashPassword(password)),
    inTurn: (check) => inTurn(() => check(verify)),
  };
}

const verify: Verify = async (password, hash) => {
  if (hash) return verifyPassword(password, hash);
  await hashPassword(password);
  return false;
};
