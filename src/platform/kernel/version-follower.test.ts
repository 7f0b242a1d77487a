import { expect, it } from 'vitest';
import { createVersionFollower } from './version-follower.ts';

/** Changes 1 to `version`, and what a follower reports of them. */
function followed(version = 3) {
  const store = { version };
  const seen: (number | 'reset')[] = [];
  const reads: (() => Promise<number>)[] = [];
  const follower = createVersionFollower<number>({
    readVersion: () => reads.shift()?.() ?? Promise.resolve(store.version),
    changesSince: async (since) =>
      Array.from({ length: store.version - since }, (_, at) => since + at + 1),
    onChanged: (changes) => void seen.push(...changes),
    onReset: () => void seen.push('reset'),
  });
  return { store, seen, reads, follower };
}

it('reports what changed since it started, once', async () => {
  const { store, seen, follower } = followed();
  expect(follower.version).toBeUndefined();
  expect(await follower.start()).toBe(3);
  await follower.refresh();
  store.version = 5;
  await follower.refresh();
  await follower.refresh();
  expect([seen, follower.version]).toEqual([[4, 5], 5]);
});

it('starts with the first refresh if it was not started', async () => {
  const { seen, follower } = followed();
  await follower.refresh();
  expect([seen, follower.version]).toEqual([[], 3]);
});

it('reports a version that has decreased, and continues from there', async () => {
  const { store, seen, follower } = followed();
  await follower.start();
  store.version = 1;
  await follower.refresh();
  store.version = 2;
  await follower.refresh();
  expect(seen).toEqual(['reset', 2]);
});

it('takes a read that was overtaken for no reset, and never goes back', async () => {
  const { store, seen, reads, follower } = followed();
  await follower.start();
  const slow = Promise.withResolvers<number>();
  reads.push(() => slow.promise);
  const overtaken = follower.refresh();
  store.version = 5;
  await follower.refresh();
  slow.resolve(4);
  await overtaken;
  expect([new Set(seen), follower.version]).toEqual([new Set([4, 5]), 5]);
});
