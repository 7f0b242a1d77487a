import fc from 'fast-check';
import { expect, test } from 'vitest';
import { zonedDay } from './time.ts';

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
