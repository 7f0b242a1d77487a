import crypto, { type BinaryLike, type ScryptOptions } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

/** Passwords are hashed at a hundredth of their cost: thousands of tests do, and none is about the cost. */
const { scrypt } = crypto;
type Done = (error: Error | null, key: Buffer<ArrayBuffer>) => void;
type Rest = readonly [Done] | readonly [ScryptOptions, Done];

crypto.scrypt = (password: BinaryLike, salt: BinaryLike, bytes: number, ...rest: Rest): void => {
  const [options, done] = rest.length === 1 ? [{}, rest[0]] : rest;
  scrypt(password, salt, bytes, { ...options, N: 128 }, done);
};
syncBuiltinESMExports();
