import * as betterAuth from 'better-auth/crypto';
import { expect, it } from 'vitest';
import { Secret } from '../../platform/kernel/secret.ts';
import { hashPassword, verifyPassword } from './passwords.ts';

it('hashes and verifies passwords as better-auth does', async () => {
  const text = '비밀번호 Ａ correct horse';
  const [ours, theirs] = [
    await hashPassword(new Secret(text)),
    await betterAuth.hashPassword(text),
  ];
  expect(await betterAuth.verifyPassword({ hash: ours, password: text })).toBe(true);
  const matches = (password: string, hash: string | null) =>
    verifyPassword(new Secret(password), hash);
  expect(await matches(text, theirs)).toBe(true);
  expect(await matches('another', theirs)).toBe(false);
  expect(await matches(text, 'not a hash')).toBe(false);
  expect(await matches(text, null)).toBe(false);
});

it('does not block the event loop', async () => {
  let ticks = 0;
  const timer = setInterval(() => ticks++, 5);
  await hashPassword(new Secret('correct horse battery'));
  clearInterval(timer);
  expect(ticks).toBeGreaterThan(2);
});
