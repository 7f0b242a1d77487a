/** Characters of a local time, by what it ends with. */
const LENGTHS = { minutes: 16, seconds: 19 } as const;

/** A time as the browser's field writes it: local, without a zone. */
export function toLocal(
  time: string | undefined,
  precision: keyof typeof LENGTHS = 'minutes',
): string {
  if (time === undefined) return '';
  const date = new Date(time);
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, LENGTHS[precision]);
}

/** The time of such a field; undefined while it is incomplete. */
export function fromLocal(text: string): string | undefined {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
