import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { expect, it } from 'vitest';
import { createSharedLookup } from './shared-lookup.ts';

/** A lookup that counts, and answers when the test says so. */
function slowLookup() {
  const names: string[] = [];
  const answers: (() => void)[] = [];
  const slow: LookupFunction = (hostname, _options, callback) => {
    names.push(hostname);
    answers.push(() => callback(null, [{ address: '192.0.2.1', family: 4 }]));
  };
  return { names, answers, shared: createSharedLookup(slow) };
}

const ask = (shared: LookupFunction, hostname: string) =>
  new Promise((resolve) => {
    shared(hostname, { all: true }, (error, addresses) => resolve(error ?? addresses));
  });

it('A host name is looked up once for all who want it at the same time', async () => {
  const { names, answers, shared } = slowLookup();
  const all = Array.from({ length: 64 }, () => ask(shared, 'slow.example'));
  const other = ask(shared, 'other.example');
  expect(names).toEqual(['slow.example', 'other.example']);
  for (const answer of answers) answer();
  for (const address of [...(await Promise.all(all)), await other]) {
    expect(address).toEqual([{ address: '192.0.2.1', family: 4 }]);
  }
});

it('It is looked up again once the answer is there', async () => {
  const { names, answers, shared } = slowLookup();
  for (let i = 0; i < 2; i++) {
    const asked = ask(shared, 'slow.example');
    answers[i]?.();
    await asked;
  }
  expect(names).toHaveLength(2);
});

it('Faults reach all who wait', async () => {
  const shared = createSharedLookup(lookup);
  const faults = await Promise.all([1, 2].map(() => ask(shared, 'nowhere.invalid')));
  for (const fault of faults) expect(fault).toBeInstanceOf(Error);
});
