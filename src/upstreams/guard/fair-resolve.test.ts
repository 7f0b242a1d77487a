import { expect, it } from 'vitest';
import { createFairResolve } from './fair-resolve.ts';

/** A resolver whose look-ups end when the test decides. */
function slowResolve() {
  const names: string[] = [];
  const ends: (() => void)[] = [];
  const resolve = createFairResolve((hostname) => {
    names.push(hostname);
    return new Promise((done) => ends.push(() => done(['192.0.2.1'])));
  });
  const endAll = () => {
    for (const end of ends.splice(0)) end();
  };
  return { names, resolve, end: endAll };
}

const overloaded = expect.objectContaining({ code: 'overloaded' });

it('A name is resolved once for all concurrent requests, and again after that', async () => {
  const { names, resolve, end } = slowResolve();
  const both = [resolve('a.example', 'one'), resolve('a.example', 'two')];
  end();
  expect(await Promise.all(both)).toEqual([['192.0.2.1'], ['192.0.2.1']]);
  const again = resolve('a.example', 'one');
  end();
  await again;
  expect(names).toEqual(['a.example', 'a.example']);
});

it('A tenant may have 32 names resolved at the same time; other tenants are not affected', async () => {
  const { resolve, end } = slowResolve();
  const pending = Array.from({ length: 32 }, (_, n) => resolve(`${n}.example`, 'slow'));
  await expect(resolve('99.example', 'slow')).rejects.toEqual(overloaded);
  pending.push(resolve('99.example', 'other'), resolve('0.example', 'slow'));
  end();
  await Promise.all(pending);
  const next = resolve('99.example', 'slow');
  end();
  await next;
});

it('All tenants together may have 512 names resolved at the same time', async () => {
  const { resolve, end } = slowResolve();
  const pending = Array.from({ length: 512 }, (_, n) =>
    resolve(`${n}.example`, `tenant-${n % 32}`),
  );
  await expect(resolve('999.example', 'other')).rejects.toEqual(overloaded);
  end();
  await Promise.all(pending);
});

it('A failed look-up is not remembered, even if the resolver throws', async () => {
  let tries = 0;
  const resolve = createFairResolve(() => {
    tries++;
    throw new Error('invalid name');
  });
  for (let n = 0; n < 20; n++) await expect(resolve('a.example', 'one')).rejects.toThrow('invalid');
  expect(tries).toBe(20);
});
