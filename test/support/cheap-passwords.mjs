// Passwords are hashed at a hundredth of their cost: thousands of tests do, and none is about the cost.
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

const { scrypt } = crypto;

crypto.scrypt = (password, salt, bytes, ...rest) => {
  const [options, done] = rest.length === 1 ? [{}, rest[0]] : rest;
  scrypt(password, salt, bytes, { ...options, N: 128 }, done);
};
syncBuiltinESMExports();
