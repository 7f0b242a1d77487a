import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { createSteadyClock, isoTimeOf, repeat, withoutHour24, zonedDay } from './time.ts';

describe('the steady clock', () => {
  const at = { wall: 1_764_000_000_000, elapsed: 0 };
  const clock = createSteadyClock({ now: () => at.wall }, () => at.elapsed);
  const pass = (wallMs: number, elapsedMs: number) => {
    at.wall += wallMs;
    at.elapsed += elapsedMs;
    return clock.now();
  };

  it('advances by real time when the wall clock is set back, and follows it forwards', () => {
    const start = clock.now();
    expect(start).toBe(1_764_000_000_000);
    expect(pass(1000, 1000) - start).toBe(1000);
    // Set back by an hour.
    expect(pass(-3_600_000, 500) - start).toBe(1500);
    expect(pass(1000, 1000) - start).toBe(2500);
    // The wall clock is right again. Then the machine sleeps for a minute, which a monotonic clock does not count.
    expect(pass(3_600_500, 0) - start).toBe(2500);
    expect(pass(60_000, 0) - start).toBe(62_500);
  });
});

it('runs a task again after its end, one run at a time, until it is stopped', async () => {
  let running = 0;
  let runs = 0;
  const stop = repeat(
    async () => {
      expect(++running).toBe(1);
      await sleep(2);
      running--;
      runs++;
    },
    () => 1,
  );
  await until(() => runs >= 3);
  stop();
  await until(() => running === 0);
  const runsWhenStopped = runs;
  await sleep(20);
  expect(runs).toBe(runsWhenStopped);
});

it('does not start a task that is stopped before its first run', async () => {
  let runs = 0;
  repeat(
    async () => void runs++,
    () => 1,
  )();
  await sleep(10);
  expect(runs).toBe(0);
});

describe('a written time in ISO 8601', () => {
  it.each([
    ['2026', '2026'],
    ['202611', '2026-11'],
    ['2026-11', '2026-11'],
    ['20261122', '2026-11-22'],
    ['2026.11.22', '2026-11-22'],
    ['2026/11/22', '2026-11-22'],
    ['2026112205', '2026-11-22T05:00+09:00'],
    ['202611220530', '2026-11-22T05:30+09:00'],
    ['20261122053001', '2026-11-22T05:30:01+09:00'],
    ['2026-11-22 05:30', '2026-11-22T05:30+09:00'],
    ['2026-11-22T05:30:00.123Z', '2026-11-22T05:30:00Z'],
    ['2026-11-22T05:30+01:00', '2026-11-22T05:30+01:00'],
    ['2026-11-22 24:00', '2026-11-23T00:00+09:00'],
    ['2026-12-31T24:00:00Z', '2027-01-01T00:00:00Z'],
    ['202612312400', '2027-01-01T00:00+09:00'],
    ['2028022824', '2028-02-29T00:00+09:00'],
    ['2026.11.30 24', '2026-12-01T00:00+09:00'],
    ['2026Q1', '2026Q1'],
    ['2026S2', '2026S2'],
  ])('%s is %s', (text, iso) => {
    expect(isoTimeOf(text, '+09:00')).toBe(iso);
  });

  it.each([
    '',
    '-',
    '0',
    'yesterday',
    '20261322',
    '20261132',
    '2026112225',
    '20261122 05:61',
    '2026-11-22 24:01',
    '2026022924',
  ])('%j is none', (text) => {
    expect(isoTimeOf(text, null)).toBeNull();
  });

  it('keeps its form when hour 24 becomes hour 0 of the next day', () => {
    const written = ['2026-11-27 24:00', '202612312400', '2026113024', '2026.11.30T24:00:00'];
    expect(written.map(withoutHour24)).toEqual([
      '2026-11-28 00:00',
      '202701010000',
      '2026120100',
      '2026.12.01T00:00:00',
    ]);
    const others = ['2026-11-27 23:00', '20261124', '1208147524', '2026-02-30 24:00', '24:00', 'x'];
    expect(others.map(withoutHour24)).toEqual(others);
  });

  it('has no offset if none is known', () => {
    expect(isoTimeOf('202611220530', null)).toBe('2026-11-22T05:30');
  });

  it('never throws, and never grows', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect((isoTimeOf(text, '+09:00') ?? '').length).toBeLessThan(50);
      }),
    );
  });
});

test.each([
  ['2026-11-26T14:59:59Z', 'Asia/Seoul', '2026-11-25T15:00:00Z', '2026-11-26T15:00:00Z'],
  ['2026-11-26T15:00:00Z', 'Asia/Seoul', '2026-11-26T15:00:00Z', '2026-11-27T15:00:00Z'],
  ['2026-11-26T12:00:00Z', 'UTC', '2026-11-26T00:00:00Z', '2026-11-27T00:00:00Z'],
  ['2026-11-26T03:00:00Z', 'America/Chicago', '2026-11-25T06:00:00Z', '2026-11-26T06:00:00Z'],
  // Clocks are put back at 02:00: the day has 25 hours.
  ['2026-11-01T05:30:00Z', 'America/Chicago', '2026-11-01T05:00:00Z', '2026-11-02T06:00:00Z'],
  ['2026-11-02T03:00:00Z', 'America/Chicago', '2026-11-01T05:00:00Z', '2026-11-02T06:00:00Z'],
])('at %s, the day in %s lasts from %s to %s', (now, zone, start, end) => {
  const day = { startMs: Date.parse(start), endMs: Date.parse(end) };
  expect(zonedDay(Date.parse(now), zone)).toEqual(day);
});

test('a day begins and ends at 00:00, whatever the time', () => {
  const times = fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2040, 0) });
  const zones = fc.constantFrom(
    'Asia/Seoul',
    'Europe/Berlin',
    'America/New_York',
    'Asia/Kathmandu',
  );
  const shown = (timeMs: number, timeZone: string): string =>
    new Date(timeMs).toLocaleTimeString('en-GB', { timeZone });
  fc.assert(
    fc.property(times, zones, (timeMs, zone) => {
      const { startMs, endMs } = zonedDay(timeMs, zone);
      expect(startMs).toBeLessThanOrEqual(timeMs);
      expect(endMs).toBeGreaterThan(timeMs);
      expect([shown(startMs, zone), shown(endMs, zone)]).toEqual(['00:00:00', '00:00:00']);
    }),
  );
});
