import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { expect, it } from 'vitest';
import { createSharedLookup } from './shared-lookup.ts';

/** A lookup that records its names and completes when the test decides. */
function slowLookup() {
  const names: string[] = [];
  const completions: (() => void)[] = [];
  const slow: LookupFunction = (hostname, _options, callback) => {
    names.push(hostname);
    completions.push(() => callback(null, [{ address: '192.0.2.1', family: 4 }]));
  };
  return { names, completions, shared: createSharedLookup(slow) };
}

const resolveName = (shared: LookupFunction, hostname: string) =>
  new Promise((resolve) => {
    shared(hostname, { all: true }, (error, addresses) => resolve(error ?? addresses));
  });

it('A host name is looked up once for all concurrent requests', async () => {
  const { names, completions, shared } = slowLookup();
  const all = Array.from({ length: 64 }, () => resolveName(shared, 'slow.example'));
  const other = resolveName(shared, 'other.example');
  expect(names).toEqual(['slow.example', 'other.example']);
  for (const complete of completions) complete();
  for (const address of [...(await Promise.all(all)), await other]) {
    expect(address).toEqual([{ address: '192.0.2.1', family: 4 }]);
  }
});

it('A host name is looked up again after a completed look-up', async () => {
  const { names, completions, shared } = slowLookup();
  for (let i = 0; i < 2; i++) {
    const resolved = resolveName(shared, 'slow.example');
    completions[i]?.();
    await resolved;
  }
  expect(names).toHaveLength(2);
});

it('Errors reach every waiting request', async () => {
  const shared = createSharedLookup(lookup);
  const errors = await Promise.all([1, 2].map(() => resolveName(shared, 'nowhere.invalid')));
  for (const error of errors) expect(error).toBeInstanceOf(Error);
});
