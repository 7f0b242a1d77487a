import * as betterAuth from 'better-auth/crypto';
import { expect, it } from 'vitest';
import { Secret } from '../../platform/kernel/secret.ts';
import { findHash, hashPassword } from './passwords.ts';

it('hashes and verifies passwords as better-auth does', async () => {
  const text = '비밀번호 Ａ correct horse';
  const [ours, theirs] = [
    await hashPassword(new Secret(text)),
    await betterAuth.hashPassword(text),
  ];
  expect(await betterAuth.verifyPassword({ hash: ours, password: text })).toBe(true);
  const found = (password: string, ...hashes: string[]) => findHash(new Secret(password), hashes);
  expect(await found(text, 'not a hash', theirs)).toBe(theirs);
  expect(await found('another', theirs, 'not a hash')).toBeUndefined();
});

it('finds the first of several hashes, also of those with one salt', async () => {
  const [first, second] = [new Secret('the first password'), new Secret('the second password')];
  const one = await hashPassword(first);
  const two = await hashPassword(second, one);
  expect(two.split(':')[0]).toBe(one.split(':')[0]);
  expect(await findHash(second, [one, two])).toBe(two);
  expect(await findHash(first, [two, one])).toBe(one);
});

it('does not block the event loop', async () => {
  let ticks = 0;
  const timer = setInterval(() => ticks++, 5);
  await hashPassword(new Secret('correct horse battery'));
  clearInterval(timer);
  expect(ticks).toBeGreaterThan(2);
});
