import { InvalidArgumentError } from 'commander';

const UNIT_MS = { h: 3_600_000, d: 86_400_000, w: 604_800_000, y: 365 * 86_400_000 } as const;

/** `12h`, `90d`, `4w` or `1y` in milliseconds. Throws InvalidArgumentError. */
export function parseDuration(text: string): number {
  const match = /^(\d{1,5})([hdwy])$/.exec(text);
  const unit = match?.[2] as keyof typeof UNIT_MS | undefined;
  if (!match || !unit || Number(match[1]) === 0) {
    throw new InvalidArgumentError('Give a duration such as 12h, 90d, 4w or 1y.');
  }
  return Number(match[1]) * UNIT_MS[unit];
}
