import { describe, expect, it } from 'vitest';
import { invalidArguments } from './error.ts';

const faults = (count: number, message = 'is wrong.') =>
  Array.from({ length: count }, (_, i) => ({ path: `/a${i}`, message }));

describe('invalidArguments', () => {
  it('lists every issue in one message', () => {
    const error = invalidArguments('tool', [...faults(2), { path: '', message: 'And so on.' }]);
    expect(error.code).toBe('invalid_arguments');
    expect(error.message).toBe('tool: /a0 is wrong. /a1 is wrong. And so on.');
    expect(error.details.errors).toHaveLength(3);
  });

  it('lists twenty issues, and the number of further ones', () => {
    const error = invalidArguments('tool', faults(57));
    expect(error.details.errors).toHaveLength(20);
    expect(error.message).toMatch(/\/a19 is wrong\. \.\.\. and at least 37 more\.$/);
  });

  it('keeps the message near 2,000 characters', () => {
    const error = invalidArguments('tool', faults(20, 'x'.repeat(300)));
    expect(error.message.length).toBeLessThan(2100);
    expect(error.message).toMatch(/\.\.\. and at least 14 more\.$/);
    expect(error.details.errors).toHaveLength(20);
  });

  it('cuts long paths and messages, including the first', () => {
    const [long] = faults(1, 'm'.repeat(1_000_000));
    const error = invalidArguments('tool', [{ path: '/p'.repeat(500_000), message: 'x' }]);
    expect(error.details.errors?.[0]?.path).toHaveLength(203);
    const other = invalidArguments('tool', long ? [long] : []);
    expect(other.message.length).toBeLessThan(1100);
    expect(other.details.errors?.[0]?.message).toHaveLength(1003);
  });
});
