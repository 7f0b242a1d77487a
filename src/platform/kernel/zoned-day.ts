const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A day of a time zone, in milliseconds since the epoch. */
export interface ZonedDay {
  readonly startMs: number;
  /** When the next one begins. */
  readonly endMs: number;
}

/** The day of an IANA time zone in which a moment lies. */
export function zonedDay(nowMs: number, zone: string): ZonedDay {
  const wallMs = nowMs + offsetMs(nowMs, zone);
  const midnightMs = wallMs - (wallMs % DAY_MS);
  const at = (wall: number): number => {
    const guess = wall - offsetMs(nowMs, zone);
    // The clock may be changed between now and then.
    return wall - offsetMs(guess, zone);
  };
  return { startMs: at(midnightMs), endMs: at(midnightMs + DAY_MS) };
}

/** Korea is at UTC+9 all year. The days of figures and limits are those of Seoul, as providers count theirs. */
export const SEOUL_OFFSET_MS = 9 * HOUR_MS;

/** Making a format takes longer than all else. */
const offsetMs = (atMs: number, zone: string): number =>
  zone === 'Asia/Seoul' ? SEOUL_OFFSET_MS : readOffsetMs(atMs, zone);

function readOffsetMs(atMs: number, zone: string): number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    timeZoneName: 'longOffset',
  });
  const name = format.formatToParts(atMs).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours = '0', minutes = '0'] = /GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * HOUR_MS + Number(minutes) * 60_000);
}
