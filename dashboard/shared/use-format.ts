import { useMemo } from 'react';
import { useLanguage } from '../app/texts/use-language.ts';

export interface Format {
  /** 12,345 */
  readonly count: (value: number) => string;
  /** 12.3K */
  readonly compact: (value: number) => string;
  /** 0.123 as 12.3% */
  readonly percent: (share: number) => string;
  /** 1536 as 1.5 KB */
  readonly bytes: (bytes: number) => string;
  /** 1234 as 1.23 s */
  readonly duration: (milliseconds: number) => string;
  /** Date and time, to the second. */
  readonly time: (at: string | number) => string;
  /** Only the date. */
  readonly date: (at: string | number) => string;
}

/** Writes numbers and times as the language in use does. */
export function useFormat(): Format {
  const language = useLanguage();
  return useMemo(() => createFormat(language), [language]);
}

export function createFormat(language: string): Format {
  const count = new Intl.NumberFormat(language);
  const compact = new Intl.NumberFormat(language, {
    notation: 'compact',
    maximumFractionDigits: 1,
  });
  const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 });
  const three = new Intl.NumberFormat(language, { maximumSignificantDigits: 3 });
  const time = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' });
  const date = new Intl.DateTimeFormat(language, { dateStyle: 'medium' });
  return {
    count: (value) => count.format(value),
    compact: (value) => compact.format(value),
    percent: (share) => percent.format(share),
    bytes: (bytes) => formatBytes(bytes, three),
    duration: (ms) => (ms < 1000 ? `${three.format(ms)} ms` : `${three.format(ms / 1000)} s`),
    time: (at) => time.format(new Date(at)),
    date: (at) => date.format(new Date(at)),
  };
}

function formatBytes(bytes: number, number: Intl.NumberFormat): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  const step = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1);
  return `${number.format(bytes / 1024 ** step)} ${units[step]}`;
}
