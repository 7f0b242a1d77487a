import { Anchor, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { DataTable } from '../shared/data-table.tsx';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { useFormat } from '../shared/use-format.ts';
import classes from './overview.module.css';
import { type Scope, type Totals, topQuery } from './overview-queries.ts';
import { RANGES_MS } from './overview-search.ts';

type Group = Totals['groups'][number];
type Kind = 'tool' | 'key' | 'upstream' | 'tenant';

/** The tools, keys, upstreams or tenants with the most calls. */
export function TopTable({ scope, kind }: { readonly scope: Scope; readonly kind: Kind }) {
  const { t } = useTranslation('overview');
  const { count, percent, duration } = useFormat();
  const { data, error, refetch } = useQuery(topQuery(scope, kind));
  const failures = ({ figures: { failures: by, calls } }: Group) =>
    percent(calls === 0 ? 0 : (by.caller + by.upstream + by.gateway) / calls);
  return (
    <section className={classes.card}>
      <Title order={2} size="h5" mb="xs">
        {t(`top.${kind}`)}
      </Title>
      {error ? (
        <ErrorAlert error={error} onRetry={refetch} />
      ) : (
        <DataTable
          label={t(`top.${kind}`)}
          rows={data?.groups}
          rowKey={({ subject }) => subject ?? ''}
          empty={t('top.empty')}
          columns={[
            {
              key: 'name',
              header: t('top.name'),
              cell: (group) => <Subject group={group} scope={scope} kind={kind} />,
            },
            {
              key: 'calls',
              header: t('top.calls'),
              align: 'end',
              cell: ({ figures }) => count(figures.calls),
            },
            { key: 'failures', header: t('top.failures'), align: 'end', cell: failures },
            {
              key: 'p95',
              header: 'p95',
              align: 'end',
              cell: ({ figures }) => (figures.p95Ms === null ? '–' : duration(figures.p95Ms)),
            },
          ]}
        />
      )}
    </section>
  );
}

interface SubjectProps {
  readonly group: Group;
  readonly scope: Scope;
  readonly kind: Kind;
}

/** Leads to the calls in the audit log, if it can be searched for them. */
function Subject({ group: { subject, name }, scope: { tenant, range }, kind }: SubjectProps) {
  const label = name ?? subject;
  if (tenant === null || kind === 'upstream' || kind === 'tenant' || !subject) return label;
  const filter = kind === 'tool' ? { tool: name ?? subject } : { key: subject };
  const from = new Date(Date.now() - RANGES_MS[range]).toISOString();
  return (
    <Anchor component={Link} to="/admin/audit" search={{ ...filter, from } as never} size="sm">
      {label}
    </Anchor>
  );
}
