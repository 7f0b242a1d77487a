/** A time as the browser's field writes it: local, without a zone. */
export function toLocal(time: string | undefined): string {
  if (time === undefined) return '';
  const date = new Date(time);
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

/** The time of such a field; undefined while it is incomplete. */
export function fromLocal(text: string): string | undefined {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
