import { Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { LinkAnchor } from '../shared/buttons.tsx';
import { type CallsFilter, CallsLink } from '../shared/calls-link.tsx';
import { DataTable } from '../shared/data-table.tsx';
import { FAILED, failuresOf, Outcome } from '../shared/outcome.tsx';
import { ErrorAlert, Hint } from '../shared/page.tsx';
import { useFormat } from '../shared/use-format.ts';
import classes from './overview.module.css';
import {
  type Quota,
  quotaQuery,
  type Scope,
  type Status as StatusAnswer,
  statusQuery,
  type Totals,
  topQuery,
} from './overview-queries.ts';
import { callsOf, periodOf } from './overview-search.ts';

type Subjects = Totals['groups'][number];
type Kind = 'tool' | 'key' | 'upstream' | 'tenant';

interface TopTableProps {
  readonly scope: Scope;
  readonly kind: Kind;
  /** Finds all calls of the period in the audit log; undefined if it has no such page. */
  readonly calls: CallsFilter | undefined;
}

/** The tools, keys, upstreams or tenants with the most calls. */
export function TopTable({ scope, kind, calls }: TopTableProps) {
  const { t } = useTranslation('overview');
  const { count, percent, duration } = useFormat();
  const top = useQuery(topQuery(scope, kind));
  const callsIn = (group: Subjects) => {
    const ofGroup = callsOf(kind, group);
    return calls && ofGroup && { ...calls, ...ofGroup };
  };
  const failures = (group: Subjects) => {
    const { calls: all } = group.figures;
    const failed = callsIn(group);
    return (
      <CallsLink calls={failed && { ...failed, ...FAILED }}>
        {percent(all === 0 ? 0 : failuresOf(group.figures) / all)}
      </CallsLink>
    );
  };
  return (
    <section className={classes.card}>
      <Title order={2} size="h5" mb="xs">
        {t(`top.${kind}`)}
      </Title>
      <DataTable
        label={t(`top.${kind}`)}
        query={top}
        rows={top.data?.groups}
        rowKey={({ subject }) => subject ?? ''}
        empty={t('top.empty')}
        columns={[
          {
            header: t('top.name'),
            cell: (group) => <Subject group={group} scope={scope} kind={kind} />,
          },
          {
            header: t('tiles.calls'),
            align: 'end',
            cell: (group) => (
              <CallsLink calls={callsIn(group)}>{count(group.figures.calls)}</CallsLink>
            ),
          },
          { header: t('top.failures'), align: 'end', cell: failures },
          {
            header: 'p95',
            align: 'end',
            cell: ({ figures }) => (figures.p95Ms === null ? '–' : duration(figures.p95Ms)),
          },
        ]}
      />
    </section>
  );
}

interface SubjectProps {
  readonly group: Subjects;
  readonly scope: Scope;
  readonly kind: Kind;
}

/** Leads to the calls in the audit log, if it can be searched for them. */
function Subject({ group: { subject, name }, scope: { tenant, period }, kind }: SubjectProps) {
  const label = name ?? subject;
  if (tenant === null || kind === 'upstream' || kind === 'tenant' || !subject) return label;
  const filter = kind === 'tool' ? { tool: name ?? subject } : { key: subject };
  const { from, to } = periodOf(period, Date.now());
  const times = period.to === undefined ? { from } : { from, to };
  return (
    <LinkAnchor to="/admin/audit" search={{ ...filter, ...times } as never} size="sm">
      {label}
    </LinkAnchor>
  );
}

/** What the gateway depends on, and the upstreams to which requests are paused. */
export function Status({ tenant }: { readonly tenant: string | null }) {
  const { t } = useTranslation('overview');
  const { data, error, refetch } = useQuery(statusQuery(tenant));
  return (
    <section className={classes.card}>
      <Title order={2} size="h5" mb="xs">
        {t('status.title')}
      </Title>
      {error && <ErrorAlert error={error} onRetry={refetch} />}
      {!error && (data ? <Parts status={data} /> : <Skeleton height={96} />)}
    </section>
  );
}

function Parts({ status }: { readonly status: StatusAnswer }) {
  const { t } = useTranslation('overview');
  const { duration } = useFormat();
  return (
    <Stack gap="xs">
      {status.dependencies.map(({ name, backend, status: state, latencyMs }) => (
        <Group key={name} justify="space-between" wrap="nowrap">
          <Text size="sm">
            {t(name === 'database' ? 'status.database' : 'status.redis')} (
            {t(`status.backends.${backend}`, { defaultValue: backend })})
          </Text>
          <Group gap="xs" wrap="nowrap">
            <Hint size="xs">{duration(latencyMs)}</Hint>
            <Outcome origin={state === 'healthy' ? 'ok' : 'gateway'} label={t(`status.${state}`)} />
          </Group>
        </Group>
      ))}
      {status.circuits.map(({ origin, circuit }) => (
        <Group key={origin} justify="space-between" wrap="nowrap">
          <Text size="sm">{origin}</Text>
          <Outcome
            origin={circuit === 'open' ? 'gateway' : 'caller'}
            label={t(circuit === 'open' ? 'status.open' : 'status.halfOpen')}
          />
        </Group>
      ))}
      {status.circuits.length === 0 && <Hint>{t('status.noCircuits')}</Hint>}
    </Stack>
  );
}

const SHOWN = 3;

/** How many requests were sent with each provider key today, and for whom. For operators. */
export function Quotas() {
  const { t } = useTranslation('overview');
  const { count, time } = useFormat();
  const quotas = useQuery(quotaQuery);
  const resetsAt = quotas.data?.quotas[0]?.resetsAt;
  const used = quotas.data?.quotas
    .filter(({ requestsToday }) => requestsToday > 0)
    .toSorted((a, b) => b.requestsToday - a.requestsToday);
  return (
    <section className={classes.card}>
      <Title order={2} size="h5">
        {t('quota.title')}
      </Title>
      <Hint size="xs" mb="xs">
        {resetsAt && t('quota.reset', { time: time(resetsAt) })}
      </Hint>
      <DataTable
        label={t('quota.title')}
        query={quotas}
        rows={used}
        rowKey={({ secret }) => secret}
        empty={<Hint>{t('quota.empty')}</Hint>}
        columns={[
          { header: t('quota.key'), cell: ({ secret }) => secret },
          {
            header: t('quota.requests'),
            align: 'end',
            cell: ({ requestsToday }) => count(requestsToday),
          },
          { header: t('quota.users'), cell: ({ users }) => <Users users={users} /> },
        ]}
      />
    </section>
  );
}

function Users({ users }: Pick<Quota, 'users'>) {
  const { t } = useTranslation('overview');
  const { count } = useFormat();
  const rest = users.length - SHOWN;
  return (
    <>
      {users.slice(0, SHOWN).map(({ tenant, requests }) => (
        <div key={tenant}>
          {tenant ?? '–'}: {count(requests)}
        </div>
      ))}
      {rest > 0 && t('quota.more', { count: rest })}
    </>
  );
}
