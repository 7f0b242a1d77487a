import { describe, expect, it } from 'vitest';
import { createFindingScope, MAX_FINDINGS, type Verdict } from './findings.ts';

function createScope() {
  const outside: Verdict[] = [];
  return { outside, scope: createFindingScope((verdict) => outside.push(verdict)) };
}

describe('a scope of findings', () => {
  it('keeps what is reported during work with its result', () => {
    const { outside, scope } = createScope();
    const { result, verdicts } = scope.collect(() => {
      scope.refuse('/a', 'one');
      const inner = scope.collect(() => scope.change('/b', 'two'));
      scope.repeat(inner.verdicts);
      return 1;
    });
    expect(result).toBe(1);
    expect(verdicts.map(({ message, outcome }) => `${message} ${outcome}`)).toEqual([
      'one refused',
      'two changed',
    ]);
    expect(outside).toEqual([]);
    scope.change('/c', 'three');
    expect(outside).toHaveLength(1);
  });

  it('reports outside again after work has thrown', () => {
    const { outside, scope } = createScope();
    expect(() =>
      scope.collect(() => {
        throw new Error('stop');
      }),
    ).toThrow('stop');
    scope.refuse('/a', 'one');
    expect(outside).toHaveLength(1);
  });

  it('keeps a bounded number without duplicates, and every kind', () => {
    const { scope } = createScope();
    const { verdicts } = scope.collect(() => {
      for (let i = 0; i < 2 * MAX_FINDINGS; i++) scope.change(`/${i >> 1}`, 'changed');
      for (let i = 0; i < 2 * MAX_FINDINGS; i++) scope.change(`/more/${i}`, 'changed');
      scope.refuse('/x', 'refused');
    });
    expect(verdicts).toHaveLength(MAX_FINDINGS + 1);
    expect(verdicts.at(-1)?.outcome).toBe('refused');
  });
});
