import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { LimitDecision } from '../../access/limits/limit-decision.ts';
import { Cancellation } from '../../platform/kernel/cancellation.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { UnitEnd } from './ask-unit.ts';
import { RANGE_TIME_MS, RunControl } from './run-control.ts';
import { runUnits, UNITS_AT_ONCE } from './run-units.ts';

const FAILED: UnitEnd = { kind: 'failed', reason: 'x', mayRetry: false };

describe('units', () => {
  it('are asked a few at once, and passed on in their order, whatever each takes', async () => {
    const durations = fc.array(fc.nat(5), { maxLength: 40 });
    const property = fc.asyncProperty(durations, async (tookMs) => {
      let active = 0;
      const taken: number[] = [];
      await runUnits({
        count: tookMs.length,
        isOver: () => false,
        ask: async (index) => {
          expect(++active).toBeLessThanOrEqual(UNITS_AT_ONCE);
          await sleep(tookMs[index]);
          active--;
          return FAILED;
        },
        take: async (index) => void taken.push(index),
      });
      expect(taken).toEqual([...tookMs.keys()]);
      expect(active).toBe(0);
    });
    await fc.assert(property, { numRuns: 20 });
  });

  it('are not started any more once the run is over, or what is passed on is refused', async () => {
    const asked: number[] = [];
    const run = (isOver: () => boolean, fails: boolean) =>
      runUnits({
        count: 50,
        isOver,
        ask: async (index) => {
          asked.push(index);
          await sleep(1);
          return FAILED;
        },
        take: async () => {
          if (fails) throw new GatewayError('invalid_arguments');
        },
      });
    await expect(run(() => false, true)).rejects.toThrow(GatewayError);
    expect(asked.length).toBeLessThan(20);
    asked.length = 0;
    await run(() => asked.length >= 7, false);
    expect(asked).toHaveLength(7);
  });
});

describe('the limits of a range', () => {
  const CALLER = { tenantId: 't', tenantSlug: 't', apiKeyId: 'k', allowedTools: null };
  const decision = (more: Partial<LimitDecision>): LimitDecision => ({
    ...{ allowed: true, limit: 10, remaining: 0, resetSeconds: 1, retryAfterSeconds: 0 },
    ...more,
  });
  afterEach(() => void vi.useRealTimers());

  it('wait where the minute is used up', async () => {
    const decisions = [decision({ allowed: false, retryAfterSeconds: 1 }), decision({})];
    const control = new RunControl(() => decisions.shift() ?? decision({}), CALLER, {});
    const startedMs = performance.now();
    expect(await control.admit()).toBe(true);
    expect(performance.now() - startedMs).toBeGreaterThan(900);
    expect(control.ended).toBeNull();
    control.close();
  });

  it('end when the day is used up', async () => {
    const day = decision({ allowed: false, retryAfterSeconds: 9 });
    const control = new RunControl(() => ({ ...day, day }), CALLER, {});
    expect(await control.admit()).toBe(false);
    expect([control.ended, control.retryAfterSeconds]).toEqual(['day', 9]);
    expect(control.stop.isCancelled).toBe(false);
    control.close();
  });

  it('end after their time, and cancel what is under way', async () => {
    vi.useFakeTimers();
    const control = new RunControl(() => decision({}), CALLER, {});
    vi.advanceTimersByTime(RANGE_TIME_MS - 1);
    expect(control.ended).toBeNull();
    vi.advanceTimersByTime(1);
    expect([control.ended, control.stop.isCancelled]).toEqual(['time', true]);
    expect(await control.admit()).toBe(false);
    control.close();
  });

  it('end with the client, who is not watched any longer afterwards', async () => {
    const client = new Cancellation();
    const cancellation = () => client;
    const waiting = decision({ allowed: false, retryAfterSeconds: 5 });
    const control = new RunControl(() => waiting, CALLER, { cancellation });
    const admitted = control.admit();
    client.cancel();
    expect(await admitted).toBe(false);
    expect([control.ended, control.stop.isCancelled]).toEqual(['cancelled', true]);
    const other = new Cancellation();
    const ended = new RunControl(() => waiting, CALLER, { cancellation: () => other });
    ended.close();
    other.cancel();
    expect(ended.ended).toBeNull();
    control.close();
  });
});
