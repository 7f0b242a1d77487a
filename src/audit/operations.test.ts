import { describe, expect, it } from 'vitest';
import { maskArguments } from './masking/mask-arguments.ts';
import { repeatability } from './operations.ts';
import { fitArguments } from './record/fit-column.ts';

describe('the arguments of a record', () => {
  it('can be used again if nothing was masked', () => {
    const args = { lat: 37.5, list: [1, { a: 'masked' }], text: '[masked]', none: null };
    expect(repeatability(maskArguments(args))).toEqual({ missing: [], isTruncated: false });
  });

  it('are incomplete where they were masked, at any depth', () => {
    const args = {
      city: 'Seoul',
      password: 'hunter2 hunter2',
      mail: 'mail to someone@example.com',
      deep: { list: [{ note: '010-1234-5678' }] },
    };
    expect(repeatability(maskArguments(args))).toEqual({
      missing: ['password', 'mail', 'deep'],
      isTruncated: false,
    });
  });

  it('are incomplete if they were too long', () => {
    const long = JSON.parse(fitArguments({ text: 'x'.repeat(9000) }));
    expect(repeatability(long)).toEqual({ missing: ['text'], isTruncated: true });
    const longer = JSON.parse(fitArguments(maskArguments({ text: 'x'.repeat(90_000) })));
    expect(repeatability(longer)).toEqual({ missing: ['text'], isTruncated: true });
    const dropped = maskArguments({ a: '', password: 'x', b: 'x'.repeat(90_000), c: '' });
    expect(repeatability(dropped).missing).toEqual(['password', 'b', '…[cut]']);
  });
});
