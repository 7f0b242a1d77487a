/** A zone for the times of a response. */
export interface Zone {
  readonly name: string;
  readonly abbreviation: string;
  readonly offsetSeconds: number;
}

/** Roughly South Korea, degrees. */
const KOREA = { south: 33, north: 38.65, west: 124.5, east: 131.9 } as const;
/** Japanese islands within that rectangle. */
const TSUSHIMA = { north: 34.8, west: 129.1 } as const;

export const isInKorea = (latitude: number, longitude: number): boolean =>
  latitude >= KOREA.south &&
  latitude <= KOREA.north &&
  longitude >= KOREA.west &&
  longitude <= KOREA.east &&
  !(latitude < TSUSHIMA.north && longitude > TSUSHIMA.west);

/** The zone that a request names; `auto` means that of Korea within Korea, and GMT elsewhere. Undefined if it is none. */
export function zoneOf(
  asked: string,
  latitude: number,
  longitude: number,
  nowMs: number,
): Zone | undefined {
  const local = isInKorea(latitude, longitude) ? 'Asia/Seoul' : 'GMT';
  const name = asked === 'auto' ? local : asked || 'GMT';
  try {
    const parts = new Intl.DateTimeFormat('en', {
      timeZone: name,
      timeZoneName: 'longOffset',
    }).formatToParts(nowMs);
    const text = parts.find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT';
    const [, sign = '+', hours = '0', minutes = '0'] = /GMT([+-])(\d+):(\d+)/.exec(text) ?? [];
    const seconds = (Number(hours) * 60 + Number(minutes)) * 60;
    const fraction = Number(minutes) > 0 ? `:${minutes}` : '';
    return {
      name,
      abbreviation: seconds === 0 ? 'GMT' : `GMT${sign}${Number(hours)}${fraction}`,
      offsetSeconds: sign === '-' ? -seconds : seconds,
    };
  } catch {
    return undefined;
  }
}
