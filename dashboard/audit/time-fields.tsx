import { TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { AuditSearch } from './audit-search.ts';

interface TimeFieldsProps {
  readonly search: AuditSearch;
  readonly change: (members: { from?: string | undefined; to?: string | undefined }) => void;
}

/** Exact ends of the time, in the reader's time zone. */
export function TimeFields({ search, change }: TimeFieldsProps) {
  const { t } = useTranslation('audit');
  return (['from', 'to'] as const).map((name) => (
    <TextInput
      key={name}
      size="sm"
      type="datetime-local"
      step={1}
      label={t(`filter.${name}`)}
      value={toLocal(search[name])}
      onChange={(event) => change({ [name]: fromLocal(event.currentTarget.value) })}
    />
  ));
}

/** A time as the browser's field writes it: local, without a zone. */
function toLocal(time: string | undefined): string {
  if (time === undefined) return '';
  const date = new Date(time);
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19);
}

function fromLocal(text: string): string | undefined {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
