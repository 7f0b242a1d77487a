import { Code, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useTenant } from '../session/session.ts';
import { LinkAnchor } from '../shared/buttons.tsx';
import { DataTable } from '../shared/data-table.tsx';
import { ErrorAlert, Hint } from '../shared/page.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import { Section } from '../shared/section.tsx';
import { keyFailuresQuery, keyHistoryQuery } from './key-queries.ts';

interface OfKeyProps {
  readonly id: string;
}

/** The last calls that failed; each leads to its record, and all to the audit log of the key. */
export function KeyFailures({ id }: OfKeyProps) {
  const { t } = useTranslation('keys');
  const { slug } = useTenant();
  const { data, error, refetch } = useQuery(keyFailuresQuery(slug, id));
  return (
    <Section
      title={t('page.failures')}
      actions={
        <LinkAnchor to="/admin/audit" search={{ key: id, last: 'all' } as never} size="sm">
          {t('page.audit')}
        </LinkAnchor>
      }
    >
      {error ? (
        <ErrorAlert error={error} onRetry={refetch} />
      ) : (
        <DataTable
          label={t('page.failures')}
          rows={data}
          rowKey={({ auditId }) => auditId}
          empty={<Hint>{t('page.noFailures')}</Hint>}
          columns={[
            {
              header: t('page.time'),
              cell: ({ timestamp, auditId }) => (
                <LinkAnchor
                  to="/admin/audit"
                  search={{ key: id, last: 'all', record: auditId } as never}
                  size="sm"
                >
                  <RelativeTime at={timestamp} />
                </LinkAnchor>
              ),
            },
            { header: t('page.tool'), cell: ({ tool }) => <Code>{tool}</Code> },
            {
              header: t('page.cause'),
              cell: (call) => <Code>{call.error?.code ?? call.upstream.status ?? '–'}</Code>,
            },
          ]}
        />
      )}
    </Section>
  );
}

/** Who created and changed the key. For the admins of its tenant. */
export function KeyHistory({ id }: OfKeyProps) {
  const { t } = useTranslation('keys');
  const { slug } = useTenant();
  const { data, error, refetch } = useQuery(keyHistoryQuery(slug, id));
  return (
    <Section title={t('page.history')}>
      {error ? (
        <ErrorAlert error={error} onRetry={refetch} />
      ) : (
        <DataTable
          label={t('page.history')}
          rows={data?.entries}
          rowKey={(entry) => entry.id}
          empty={<Hint>{t('page.noHistory')}</Hint>}
          columns={[
            { header: t('page.time'), cell: ({ timestamp }) => <RelativeTime at={timestamp} /> },
            { header: t('page.action'), cell: ({ action }) => <Action action={action} /> },
            {
              header: t('page.actor'),
              cell: ({ actor, actorEmail }) => actorEmail ?? <Code>{actor}</Code>,
            },
          ]}
        />
      )}
    </Section>
  );
}

/** What can happen to a key; other actions keep their names. */
const ACTIONS = ['created', 'changed', 'rotated', 'revoked'] as const;

function Action({ action }: { readonly action: string }) {
  const { t } = useTranslation('keys');
  const known = ACTIONS.find((each) => action === `key.${each}`);
  return (
    <Text size="sm" component="span">
      {known ? t(`page.actions.${known}`) : action}
    </Text>
  );
}
