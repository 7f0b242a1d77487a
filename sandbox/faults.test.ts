import { describe, expect, it } from 'vitest';
import { createFaultPlan, parseFault } from './faults.ts';

const delay = (ms: number) => ({ delayMs: ms });

describe('fault plan', () => {
  it('returns a fault for its tool or preset, as often as planned', () => {
    const plan = createFaultPlan();
    plan.add(delay(1), 'weather/kma', 2);
    plan.add(delay(2), 'one_tool', 1);
    expect(plan.take('economy/bank', 'other_tool')).toBeUndefined();
    expect(plan.take('weather/kma', 'other_tool')).toEqual(delay(1));
    expect(plan.take('economy/bank', 'one_tool')).toEqual(delay(2));
    expect(plan.take('economy/bank', 'one_tool')).toBeUndefined();
    expect(plan.take('weather/kma', 'other_tool')).toEqual(delay(1));
    expect(plan.take('weather/kma', 'other_tool')).toBeUndefined();
  });

  it('returns a fault without a target for every tool until it is cleared', () => {
    const plan = createFaultPlan();
    plan.add(delay(1), undefined, 9);
    expect(plan.take('a/b', 'c')).toEqual(delay(1));
    plan.clear();
    expect(plan.take('a/b', 'c')).toBeUndefined();
  });
});

describe('parseFault', () => {
  it('reads a fault with its argument', () => {
    expect(parseFault('delay:500')).toEqual({ delayMs: 500 });
    expect(parseFault('status:503')).toBeDefined();
  });

  it.each(['', 'nonsense', 'delay', 'delay:soon', 'status:99', 'status:700', 'constructor'])(
    'rejects %j',
    (word) => {
      expect(parseFault(word)).toBeUndefined();
    },
  );
});
