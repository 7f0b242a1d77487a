import { Code } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Facts } from '../shared/facts.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import { KeyExpiry, KeyLastUsed, KeyLimits, KeyOwner, KeyToday, KeyTools } from './key-cells.tsx';
import classes from './key-page.module.css';
import type { ApiKey } from './key-queries.ts';

const fact = (name: string, value: ReactNode) => [name, value] as const;

/** What a key is and may do. */
export function KeyFacts({ apiKey }: { readonly apiKey: ApiKey }) {
  const { t } = useTranslation('keys');
  const { prefix, createdAt, id, kind, client, scope, revokedAt, allowedTools } = apiKey;
  return (
    <Facts
      className={classes.facts ?? ''}
      label={t('page.facts')}
      facts={[
        fact(
          t('list.name'),
          kind === 'api' ? <Code>{prefix}…</Code> : (client ?? t('connectedApp')),
        ),
        fact(t('list.owner'), <KeyOwner apiKey={apiKey} />),
        fact(t('page.created'), <RelativeTime at={createdAt} />),
        fact(t('list.lastUsed'), <KeyLastUsed apiKey={apiKey} />),
        fact(t('list.today'), <KeyToday apiKey={apiKey} />),
        fact(
          revokedAt === null ? t('list.expires') : t('state.revoked'),
          <KeyExpiry apiKey={apiKey} />,
        ),
        fact(t('list.limits'), <KeyLimits apiKey={apiKey} />),
        fact(t('scope.label'), t(`scope.${scope ?? 'none'}`)),
        fact(t('list.tools'), <KeyTools apiKey={apiKey} />),
        ...(allowedTools && allowedTools.length > 1
          ? [fact(t('page.allowed'), allowedTools.join(', '))]
          : []),
        fact(t('page.id'), <Code>{id}</Code>),
      ]}
    />
  );
}
