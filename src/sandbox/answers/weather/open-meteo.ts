import type { JsonObject } from '../../../platform/kernel/plain-json.ts';
import { DAY, HOUR, startOfDay, unixTime } from '../../../public-data/korean-time.ts';
import { jsonResponse, type SandboxResponse } from '../../sandbox-response.ts';
import type { AnswerRule, AnswerRules } from '../answer-rule.ts';
import { whole } from '../noise.ts';
import type { Question } from '../question.ts';
import { daysBetween, printTime, timesBetween } from '../times.ts';
import {
  AIR_QUANTITIES,
  DAILY_QUANTITIES,
  type Quantities,
  type QuantityUnits,
  WEATHER_QUANTITIES,
} from './open-meteo-quantities.ts';
import { type Zone, zoneOf } from './time-zone.ts';

/** Where and in which units a request asks. */
interface Asked {
  readonly latitude: number;
  readonly longitude: number;
  readonly zone: Zone;
  readonly units: QuantityUnits;
  /** The present on the clocks of the zone. */
  readonly now: number;
}

const refused = (reason: string): SandboxResponse => jsonResponse({ error: true, reason }, 400);

function readAsked(question: Question): Asked | undefined {
  const latitude = question.number('latitude') ?? 0;
  const longitude = question.number('longitude') ?? 0;
  const zone = zoneOf(question.text('timezone'), latitude, longitude, unixTime(question.now));
  if (!zone) return undefined;
  const units = {
    temperature: question.text('temperature_unit') || 'celsius',
    wind: question.text('wind_speed_unit') || 'kmh',
    precipitation: question.text('precipitation_unit') || 'mm',
  };
  const now = unixTime(question.now) + zone.offsetSeconds * 1000;
  return { latitude, longitude, zone, units, now };
}

/** Days of one response. */
const MAX_DAYS = 400;

/** The asked days on the clocks of the zone: those of a range, or those around today. */
function daysOf(question: Question, { now }: Asked, defaultDays: number): number[] {
  const [from, to] = [question.time('start_date'), question.time('end_date')];
  if (from !== undefined && to !== undefined) return daysBetween(from, to).slice(0, MAX_DAYS);
  const ahead = question.number('forecast_days') ?? defaultDays;
  const days = daysBetween(
    now - (question.number('past_days') ?? 0) * DAY,
    startOfDay(now) + (ahead - 1) * DAY,
  );
  return days.slice(0, MAX_DAYS);
}

/** One part of a response: which quantities it may have, and its times. */
interface Part {
  readonly name: 'current' | 'hourly' | 'daily';
  readonly quantities: Quantities;
  readonly times: readonly number[];
  readonly timeFormat: string;
}

/** The times of a part, and a list of values for each quantity that was asked for; undefined if none was. */
function partOf(
  question: Question,
  asked: Asked,
  { name: part, quantities, times, timeFormat }: Part,
): { units: JsonObject; values: Readonly<Record<string, readonly unknown[]>> } | undefined {
  const names = question.list(part).filter((name) => Object.hasOwn(quantities, name));
  if (names.length === 0) return undefined;
  const place = {
    key: `${question.tool}:${asked.latitude}:${asked.longitude}`,
    latitude: asked.latitude,
    longitude: asked.longitude,
  };
  // The weather follows the sun rather than the clocks of the zone.
  const solar = asked.longitude * (DAY / 360) - asked.zone.offsetSeconds * 1000;
  const of = (name: string, time: number) =>
    quantities[name]?.valueAt({ place, time, solar, units: asked.units });
  return {
    units: Object.fromEntries([
      ['time', 'iso8601'],
      ...names.map((name) => [name, quantities[name]?.unit(asked.units)]),
    ]),
    values: Object.fromEntries([
      ['time', times.map((time) => printTime(time, timeFormat))],
      ...names.map((name) => [name, times.map((time) => of(name, time))]),
    ]),
  };
}

const MINUTES = 'YYYY-MM-DDTHH:mm';

/** A rule for one object of parallel arrays; the parts that were not asked for are absent. */
const parallelArrays = (
  quantities: Quantities,
  { defaultDays, interval, daily }: { defaultDays: number; interval: number; daily?: Quantities },
): AnswerRule => ({
  refuse(question) {
    for (const [name, most] of [
      ['latitude', 90],
      ['longitude', 180],
    ] as const) {
      const asked = question.number(name);
      if (asked === undefined || Math.abs(asked) > most) return refused(`Invalid ${name}.`);
    }
    return readAsked(question) ? undefined : refused('Invalid timezone');
  },
  whole(question, sample) {
    const asked = readAsked(question);
    if (!asked) return undefined;
    const { zone } = asked;
    const days = daysOf(question, asked, defaultDays);
    const hours = days.flatMap((day) => timesBetween(day, day + 23 * HOUR, HOUR));
    const present = Math.floor(asked.now / interval) * interval;
    const part = (name: Part['name'], times: number[], timeFormat = MINUTES, of = quantities) =>
      partOf(question, asked, { name, quantities: of, times, timeFormat });
    const current = part('current', [present]);
    const hourly = part('hourly', hours);
    const perDay = daily && part('daily', days, 'YYYY-MM-DD', daily);
    return {
      ...Object.fromEntries(
        Object.entries(sample).filter(([name]) => !/^(current|hourly|daily)/.test(name)),
      ),
      latitude: Math.round(asked.latitude * 20) / 20,
      longitude: Math.round(asked.longitude * 20) / 20,
      utc_offset_seconds: zone.offsetSeconds,
      timezone: zone.name,
      timezone_abbreviation: zone.abbreviation,
      elevation: whole(5, 120, asked.latitude, asked.longitude),
      ...(current && {
        current_units: { ...current.units, interval: 'seconds' },
        current: { time: '', interval: interval / 1000, ...firstOf(current.values) },
      }),
      ...(hourly && { hourly_units: hourly.units, hourly: hourly.values }),
      ...(perDay && { daily_units: perDay.units, daily: perDay.values }),
    };
  },
});

const firstOf = (values: Readonly<Record<string, readonly unknown[]>>): JsonObject =>
  Object.fromEntries(Object.entries(values).map(([name, [value]]) => [name, value]));

/** The world's weather and air quality. */
export const OPEN_METEO: AnswerRules = {
  openmeteo_forecast: parallelArrays(WEATHER_QUANTITIES, {
    defaultDays: 7,
    interval: HOUR / 4,
    daily: DAILY_QUANTITIES,
  }),
  openmeteo_air_quality: parallelArrays(AIR_QUANTITIES, { defaultDays: 5, interval: HOUR }),
};
