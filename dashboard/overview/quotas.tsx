import { Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { DataTable } from '../shared/data-table.tsx';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { useFormat } from '../shared/use-format.ts';
import classes from './overview.module.css';
import { type Quota, quotaQuery } from './overview-queries.ts';

const SHOWN = 3;

/** How many requests were sent with each provider key today, and for whom. For operators. */
export function Quotas() {
  const { t } = useTranslation('overview');
  const { count, time } = useFormat();
  const { data, error, refetch } = useQuery(quotaQuery);
  const resetsAt = data?.quotas[0]?.resetsAt;
  const used = data?.quotas
    .filter(({ requestsToday }) => requestsToday > 0)
    .toSorted((a, b) => b.requestsToday - a.requestsToday);
  return (
    <section className={classes.card}>
      <Title order={2} size="h5">
        {t('quota.title')}
      </Title>
      <Text size="xs" c="dimmed" mb="xs">
        {resetsAt && t('quota.reset', { time: time(resetsAt) })}
      </Text>
      {error ? (
        <ErrorAlert error={error} onRetry={refetch} />
      ) : (
        <DataTable
          label={t('quota.title')}
          rows={used}
          rowKey={({ secret }) => secret}
          empty={
            <Text size="sm" c="dimmed">
              {t('quota.empty')}
            </Text>
          }
          columns={[
            { key: 'secret', header: t('quota.key'), cell: ({ secret }) => secret },
            {
              key: 'requests',
              header: t('quota.requests'),
              align: 'end',
              cell: ({ requestsToday }) => count(requestsToday),
            },
            {
              key: 'users',
              header: t('quota.users'),
              cell: ({ users }) => <Users users={users} />,
            },
          ]}
        />
      )}
    </section>
  );
}

function Users({ users }: Pick<Quota, 'users'>) {
  const { t } = useTranslation('overview');
  const { count } = useFormat();
  const rest = users.length - SHOWN;
  return (
    <>
      {users.slice(0, SHOWN).map(({ tenant, key, apiKeyId, requests }) => (
        <div key={`${tenant} ${apiKeyId}`}>
          {tenant ?? '–'} / {key ?? apiKeyId}: {count(requests)}
        </div>
      ))}
      {rest > 0 && t('quota.more', { count: rest })}
    </>
  );
}
