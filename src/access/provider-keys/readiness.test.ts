import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type KeyObservation,
  latestOf,
  learn,
  NO_HISTORY,
  PROPAGATION_MS,
  readinessOf,
} from './readiness.ts';

const KINDS = ['unknown_key', 'not_approved', 'expired', 'blocked', 'withdrawn'] as const;
type Kind = 'good' | 'exhausted' | (typeof KINDS)[number];

const at = (kind: Kind, atMs: number): KeyObservation => {
  if (kind === 'good') return { kind, atMs };
  const evidence = { atMs, code: kind, text: null };
  return kind === 'exhausted' ? { kind, ...evidence, untilMs: atMs + 50 } : { kind, ...evidence };
};

/** The state after these responses, one in each millisecond; `elsewhere`: another dataset works. */
const stateAfter = (
  kinds: readonly Kind[],
  { elsewhere = false, nowMs = kinds.length, meaning = readinessOf } = {},
) =>
  meaning(
    kinds.reduce((history, kind, index) => learn(history, at(kind, index + 1)), NO_HISTORY),
    elsewhere,
    nowMs,
  ).state;

describe('readiness', () => {
  test.each<[Kind, string, string]>([
    ['good', 'works', 'works'],
    ['unknown_key', 'wrong_key', 'not_applied'],
    ['not_approved', 'not_applied', 'not_applied'],
    ['expired', 'expired', 'expired'],
    ['blocked', 'blocked', 'blocked'],
    ['withdrawn', 'withdrawn', 'withdrawn'],
    ['exhausted', 'exhausted', 'exhausted'],
  ])(
    'one response decides from unknown: %s means %s, beside a dataset that works %s',
    (kind, alone, beside) => {
      expect([stateAfter([kind]), stateAfter([kind], { elsewhere: true })]).toEqual([
        alone,
        beside,
      ]);
    },
  );

  test('a key that works is refused after two refusals of one kind in a row', () => {
    expect(stateAfter([])).toBe('unknown');
    expect(stateAfter(['good', 'expired'])).toBe('works');
    expect(stateAfter(['good', 'expired', 'blocked', 'expired'])).toBe('works');
    expect(stateAfter(['good', 'expired', 'good', 'expired'])).toBe('works');
    expect(stateAfter(['good', 'expired', 'exhausted', 'expired'], { nowMs: 100 })).toBe('works');
    expect(stateAfter(['good', 'blocked', 'expired', 'expired'])).toBe('expired');
    expect(stateAfter(['good', 'expired', 'expired', 'blocked'])).toBe('blocked');
    expect(stateAfter(['good', 'expired', 'expired', 'good'])).toBe('works');
  });

  test('the latest refusal is shown at once, until a good response', () => {
    const latest = (kinds: readonly Kind[]) => stateAfter(kinds, { meaning: latestOf });
    expect(latest(['good', 'expired'])).toBe('expired');
    expect(latest(['good', 'exhausted', 'expired'])).toBe('expired');
    expect(latest(['expired', 'exhausted'])).toBe('exhausted');
    expect(latest(['good', 'expired', 'good'])).toBe('works');
  });

  test('a quota that is used up lasts until the reset; then the state before it returns', () => {
    for (const [before, state] of [
      [[], 'unknown'],
      [['good'], 'works'],
      [['expired'], 'expired'],
    ] as const) {
      expect(stateAfter([...before, 'exhausted'], { nowMs: 40 })).toBe('exhausted');
      expect(stateAfter([...before, 'exhausted'], { nowMs: 52 })).toBe(state);
    }
    expect(stateAfter(['exhausted', 'good'])).toBe('works');
  });

  test('an approval that was applied for propagates for 72 hours', () => {
    const refused = { ...learn(NO_HISTORY, at('not_approved', 10)), appliedAtMs: 20 };
    const stateAt = (nowMs: number) => readinessOf(refused, false, nowMs);
    expect(stateAt(20 + PROPAGATION_MS - 1)).toMatchObject({ state: 'propagating', sinceMs: 20 });
    expect(stateAt(20 + PROPAGATION_MS)).toMatchObject({ state: 'not_applied', sinceMs: 10 });
    const wrong = { ...learn(NO_HISTORY, at('unknown_key', 10)), appliedAtMs: 20 };
    expect(readinessOf(wrong, false, 30).state).toBe('wrong_key');
    expect(readinessOf(wrong, true, 30).state).toBe('propagating');
  });
});

type Event = Kind | 'silent';
const EVENT: fc.Arbitrary<Event> = fc.constantFrom<Event[]>(
  'good',
  'silent',
  'exhausted',
  ...KINDS,
);
const RUNS = { numRuns: 10_000 };

const isLeft = (state: string): boolean => state !== 'works' && state !== 'exhausted';

test('no history flips: works is left after two refusals only, a good response always wins, silence changes nothing', () => {
  fc.assert(
    fc.property(fc.array(EVENT, { maxLength: 40 }), fc.boolean(), (events, elsewhere) => {
      let history = NO_HISTORY;
      let refusals = 0;
      let hasWorked = false;
      for (const [index, event] of events.entries()) {
        const nowMs = 100 * (index + 1);
        const before = history;
        if (event !== 'silent') history = learn(history, at(event, nowMs));
        const { state } = readinessOf(history, elsewhere, nowMs);
        if (event === 'silent') expect(history).toBe(before);
        else if (event === 'good') [refusals, hasWorked] = [0, true];
        else if (event !== 'exhausted') refusals++;
        if (event === 'good') expect(state).toBe('works');
        if (event === 'exhausted') expect(state).toBe('exhausted');
        if (hasWorked && refusals < 2) expect(isLeft(state)).toBe(false);
        if (!hasWorked && refusals > 0 && event !== 'exhausted') expect(isLeft(state)).toBe(true);
      }
    }),
    RUNS,
  );
});
