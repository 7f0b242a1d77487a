const UNITS: readonly (readonly [seconds: number, name: string])[] = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
];

/** A duration in its largest whole unit: `3 minutes`. `seconds` is a whole number. */
export function describeAge(seconds: number): string {
  const [size, name] = UNITS.find(([unit]) => seconds >= unit) ?? [1, 'second'];
  const count = Math.floor(seconds / size);
  return count === 1 ? `1 ${name}` : `${count} ${name}s`;
}
