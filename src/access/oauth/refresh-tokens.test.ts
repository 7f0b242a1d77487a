import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { exchange, type LivingToken, MAX_REFRESH_TOKENS, REFRESH_MS } from './refresh-tokens.ts';

const GRACE_MS = 600;

describe('refresh tokens of one grant', () => {
  let living: readonly LivingToken[];
  let count: number;

  beforeEach(() => {
    living = [{ digest: 'first', parent: '', issuedMs: 0 }];
    count = 0;
  });

  /** Exchanges a token, and returns its successor, or why it was refused. */
  const use = (used: string, nowMs: number): string => {
    const next = `t${count++}`;
    const result = exchange(living, { used, next, nowMs, graceMs: GRACE_MS });
    if (typeof result === 'string') return result;
    living = result;
    return next;
  };
  const tokens = () => living.map(({ digest }) => digest).sort();

  it('work for the grace after they were replaced, and are reused afterwards', () => {
    const second = use('first', 1000);
    expect(use('first', 1600)).not.toBe('reused');
    expect(use('first', 1601)).toBe('reused');
    expect(use(second, 1601)).not.toBe('reused');
  });

  it('are reused however many exchanges came between', () => {
    let latest = use('first', 1000);
    const stolen = latest;
    for (let i = 0; i < 3 * MAX_REFRESH_TOKENS; i++) latest = use(latest, 1000 + i);
    expect(living).toHaveLength(MAX_REFRESH_TOKENS);
    expect(use(stolen, 2000)).toBe('reused');
    expect(use(latest, 2000)).not.toBe('reused');
  });

  it('end with their siblings when one of them is exchanged after the grace', () => {
    const [ours, theirs] = [use('first', 0), use('first', 1)];
    const next = use(ours, 601);
    expect(use(ours, 602)).toMatch(/^t/);
    expect(use(theirs, 602)).toBe('reused');
    expect(tokens()).toEqual([ours, next, 't3'].sort());
  });

  it('end with what came of their siblings, which may be exchanged all the time', () => {
    let [ours, theirs] = [use('first', 0), use('first', 0)];
    for (const nowMs of [300, 600]) [ours, theirs] = [use(ours, nowMs), use(theirs, nowMs)];
    expect(use(ours, 601)).toMatch(/^t/);
    expect(use(theirs, 602)).toBe('reused');
  });

  it('are exchanged by many processes at once', () => {
    const all = Array.from({ length: 3 * MAX_REFRESH_TOKENS }, (_, n) => use('first', 1000 + n));
    expect(all).not.toContain('reused');
    expect(use(all.at(-1) ?? '', 2000)).toMatch(/^t/);
  });

  it('expire without being reused', () => {
    expect(use('first', REFRESH_MS - 1)).toBe('t0');
    living = [{ digest: 'first', parent: '', issuedMs: 0 }];
    expect(use('first', REFRESH_MS)).toBe('expired');
  });

  it('never work once another has replaced them for longer than the grace', () => {
    const step = fc.record({ of: fc.nat(), afterMs: fc.integer({ min: 0, max: 500 }) });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 60 }), (steps) => {
        living = [{ digest: 'first', parent: '', issuedMs: 0 }];
        const known = ['first'];
        const replaced = new Map<string, number>();
        let nowMs = 0;
        for (const { of, afterMs } of steps) {
          nowMs += afterMs;
          const token = known[of % known.length] ?? '';
          const result = use(token, nowMs);
          if (result === 'reused') continue;
          expect(nowMs - (replaced.get(token) ?? nowMs)).toBeLessThanOrEqual(GRACE_MS);
          if (!replaced.has(token)) replaced.set(token, nowMs);
          known.push(result);
          expect(living.length).toBeLessThanOrEqual(MAX_REFRESH_TOKENS);
        }
      }),
    );
  });

  it('of one host always work, whenever it exchanges the latest', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 2000 }), { maxLength: 60 }), (pauses) => {
        living = [{ digest: 'first', parent: '', issuedMs: 0 }];
        let [latest, nowMs] = ['first', 0];
        for (const pause of pauses) {
          nowMs += pause;
          latest = use(latest, nowMs);
          expect(latest).toMatch(/^t/);
        }
      }),
    );
  });
});
