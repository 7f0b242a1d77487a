import { InvalidArgumentError } from 'commander';

/** Reads a number of entries from `min` to `max` on a command line. Throws InvalidArgumentError. */
export const parseCount =
  (max: number, min = 1) =>
  (text: string): number => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= min && number <= max) return number;
    throw new InvalidArgumentError(`Give a number from ${min} to ${max}.`);
  };
