import { InvalidArgumentError } from 'commander';

/** Reads a time on a command line, in milliseconds since the epoch. Throws InvalidArgumentError. */
export function parseTime(text: string): number {
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw new InvalidArgumentError('Give a time such as 2026-11-21.');
  return time;
}
