import { InvalidArgumentError } from 'commander';

/** Reads a number of entries from 1 to `max` on a command line. Throws InvalidArgumentError. */
export const parseCount =
  (max: number) =>
  (text: string): number => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= 1 && number <= max) return number;
    throw new InvalidArgumentError(`Give a number from 1 to ${max}.`);
  };
