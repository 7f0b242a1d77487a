import { expect, it } from 'vitest';
import { createWrongKeys, MAX_SHOWN_ADDRESSES, MAX_WRONG_KEY_ADDRESSES } from './wrong-keys.ts';

const NOON_MS = Date.UTC(2026, 10, 21, 12);

it('counts by address, those with most first', () => {
  let nowMs = NOON_MS;
  const wrongKeys = createWrongKeys({ now: () => nowMs });
  wrongKeys.count('192.0.2.1');
  wrongKeys.count('192.0.2.2');
  nowMs += 60_000;
  wrongKeys.count('192.0.2.2');
  expect(wrongKeys.most()).toEqual({
    total: 3,
    addresses: [
      {
        address: '192.0.2.2',
        count: 2,
        firstAt: '2026-11-21T12:00:00.000Z',
        lastAt: '2026-11-21T12:01:00.000Z',
      },
      expect.objectContaining({ address: '192.0.2.1', count: 1 }),
    ],
  });
});

it('forgets the address that came least recently beyond the bound', () => {
  const wrongKeys = createWrongKeys({ now: () => NOON_MS });
  for (let n = 0; n < 5; n++) wrongKeys.count('first');
  for (let n = 1; n <= MAX_WRONG_KEY_ADDRESSES; n++) wrongKeys.count(`address ${n}`);
  const { total, addresses } = wrongKeys.most();
  expect(total).toBe(MAX_WRONG_KEY_ADDRESSES);
  expect(addresses).toHaveLength(MAX_SHOWN_ADDRESSES);
  expect(addresses.some(({ address }) => address === 'first')).toBe(false);
});

it('forgets an address 48 hours after its first wrong key, even if wrong keys continue', () => {
  let nowMs = NOON_MS;
  const wrongKeys = createWrongKeys({ now: () => nowMs });
  wrongKeys.count('192.0.2.1');
  nowMs += 47 * 3_600_000;
  wrongKeys.count('192.0.2.1');
  expect(wrongKeys.most().total).toBe(2);
  nowMs += 2 * 3_600_000;
  expect(wrongKeys.most().addresses).toEqual([]);
  wrongKeys.count('192.0.2.1');
  expect(wrongKeys.most().total).toBe(1);
});
