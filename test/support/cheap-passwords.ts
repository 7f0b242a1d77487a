import crypto, { type ScryptOptions } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

/** Passwords are hashed at a hundredth of their cost: thousands of tests do, and none is about the cost. */
const { scrypt } = crypto;
type Derived = (error: Error | null, key: Buffer) => void;
crypto.scrypt = ((
  password: string,
  salt: string,
  bytes: number,
  options: ScryptOptions,
  done: Derived,
) => scrypt(password, salt, bytes, { ...options, N: 128 }, done)) as typeof scrypt;
syncBuiltinESMExports();
