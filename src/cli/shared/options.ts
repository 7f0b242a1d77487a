import { InvalidArgumentError } from 'commander';
import type { Language } from '../../tools/catalog/in-language.ts';

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

/** Reads a number of entries from `min` to `max` on a command line. Throws InvalidArgumentError. */
export const parseCount =
  (max: number, min = 1) =>
  (text: string): number => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= min && number <= max) return number;
    throw new InvalidArgumentError(`Give a number from ${min} to ${max}.`);
  };

/** The option `--json`, for programs that read what a command prints. */
export interface JsonOption {
  readonly json?: true;
}

/** The language of the terminal, as POSIX programs read it: `LC_ALL`, `LC_MESSAGES`, `LANG`. */
export function terminalLanguage(env: NodeJS.ProcessEnv = process.env): Language {
  const locale = env['LC_ALL'] || env['LC_MESSAGES'] || env['LANG'] || '';
  return /^ko\b|^ko_/i.test(locale) ? 'ko' : 'en';
}
