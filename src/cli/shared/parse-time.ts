import { InvalidArgumentError } from 'commander';

/** Reads a moment of a command line, in milliseconds since the epoch. */
export function parseTime(text: string): number {
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw new InvalidArgumentError('Give a time such as 2026-11-21.');
  return time;
}
