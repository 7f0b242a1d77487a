import { Tooltip } from '@mantine/core';
import { useLanguage } from '../app/texts/use-language.ts';
import { formatAgo } from './format-ago.ts';
import { useNow } from './use-now.ts';

export interface RelativeTimeProps {
  /** ISO 8601, or milliseconds since the epoch. */
  readonly at: string | number;
}

/** "3 minutes ago", with the exact time on hover and focus. */
export function RelativeTime({ at }: RelativeTimeProps) {
  const language = useLanguage();
  const date = new Date(at);
  const now = useNow();
  if (Number.isNaN(date.getTime())) return null;
  const exact = new Intl.DateTimeFormat(language, {
    dateStyle: 'medium',
    timeStyle: 'long',
  }).format(date);
  return (
    <Tooltip label={exact}>
      <time dateTime={date.toISOString()}>{formatAgo(date.getTime(), now, language)}</time>
    </Tooltip>
  );
}
