import { expect, it } from 'vitest';
import { MAX_RECOMPILATIONS } from '../store/registration-bounds.ts';
import { createRecompilations } from './recompilations.ts';

const refused = (code: string) => ({ code, details: { retryAfterSeconds: expect.any(Number) } });

it('one of each tenant runs at a time, and a bounded number of all tenants', async () => {
  const recompilations = createRecompilations();
  const { promise: wait, resolve: release } = Promise.withResolvers<void>();
  const running = Array.from({ length: MAX_RECOMPILATIONS }, (_, n) =>
    recompilations.run(`ten_${n}`, () => wait),
  );
  const run = (tenantId: string) => recompilations.run(tenantId, async () => tenantId);
  await expect(run('ten_0')).rejects.toMatchObject(refused('rate_limited'));
  await expect(run('ten_x')).rejects.toMatchObject(refused('overloaded'));
  release();
  await Promise.all(running);
  expect(await run('ten_0')).toBe('ten_0');
});

it('a few of a tenant wait for their turn, and keep their order', async () => {
  const turns = createRecompilations({ maxWaiting: 2 });
  const { promise: wait, resolve: release } = Promise.withResolvers<void>();
  const ended: number[] = [];
  const run = (number: number) =>
    turns.run('ten_0', async () => {
      if (number === 0) await wait;
      ended.push(number);
      if (number === 1) throw new Error('failed');
    });
  const all = [0, 1, 2].map(run);
  await expect(run(3)).rejects.toMatchObject(refused('rate_limited'));
  expect(ended).toEqual([]);
  release();
  const states = (await Promise.allSettled(all)).map(({ status }) => status);
  expect([ended, states]).toEqual([
    [0, 1, 2],
    ['fulfilled', 'rejected', 'fulfilled'],
  ]);
  await run(4);
});

it('one that fails makes room as well', async () => {
  const recompilations = createRecompilations();
  const fail = () => recompilations.run('ten_0', () => Promise.reject(new Error('failed')));
  await expect(fail()).rejects.toThrow('failed');
  await expect(fail()).rejects.toThrow('failed');
});

it('closing aborts what runs, and refuses what comes later', async () => {
  const recompilations = createRecompilations();
  const running = recompilations.run(
    'ten_0',
    ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  );
  const aborted = expect(running).rejects.toMatchObject({ code: 'unavailable' });
  await recompilations.close();
  await recompilations.close();
  await aborted;
  await expect(recompilations.run('ten_0', async () => 1)).rejects.toMatchObject({
    code: 'unavailable',
  });
});
