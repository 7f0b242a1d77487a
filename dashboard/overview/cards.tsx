import { Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { LinkAnchor } from '../shared/buttons.tsx';
import type { CallsFilter } from '../shared/calls-link.tsx';
import { DataTable } from '../shared/data-table.tsx';
import { type FiguresGroup, FiguresTable } from '../shared/figures-table.tsx';
import { Outcome } from '../shared/outcome.tsx';
import { ErrorAlert, Hint } from '../shared/page.tsx';
import { useFormat } from '../shared/use-format.ts';
import classes from './overview.module.css';
import {
  type Quota,
  quotaQuery,
  type Scope,
  type Status as StatusAnswer,
  statusQuery,
  topQuery,
} from './overview-queries.ts';
import { callsOf } from './overview-search.ts';

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
  const top = useQuery(topQuery(scope, kind));
  const callsIn = (group: FiguresGroup) => {
    const ofGroup = callsOf(kind, group);
    return calls && ofGroup && { ...calls, ...ofGroup };
  };
  return (
    <section className={classes.card}>
      <Title order={2} size="h5" mb="xs">
        {t(`top.${kind}`)}
      </Title>
      <FiguresTable
        label={t(`top.${kind}`)}
        query={top}
        groups={top.data?.groups}
        calls={callsIn}
        name={(group) => (
          <Subject
            group={group}
            link={scope.tenant === null ? linkAmongAll(kind, group) : linkTo(callsIn(group))}
          />
        )}
      />
    </section>
  );
}

interface Link {
  readonly to: string;
  readonly params?: object;
  readonly search: object | ((current: object) => object);
}

const linkTo = (calls: CallsFilter | undefined): Link | null =>
  calls === undefined ? null : { to: '/admin/audit', search: calls };

/** The name of a group, which leads on. */
function Subject({
  group: { name, subject },
  link,
}: {
  readonly group: FiguresGroup;
  readonly link: Link | null;
}) {
  const label = name ?? subject;
  if (!link) return label;
  return (
    <LinkAnchor {...(link as { to: '/admin/audit' })} size="sm">
      {label}
    </LinkAnchor>
  );
}

/** From figures of all tenants to a tenant, a key, a tool or the chart of upstreams; null for what is in no tenant, such as a person. */
function linkAmongAll(kind: Kind, { subject, name, tenant }: FiguresGroup): Link | null {
  switch (kind) {
    case 'tenant':
      return name === null ? null : { to: '/admin/overview', search: { tenant: name } };
    case 'key':
      if (tenant === null) return null;
      return {
        to: '/admin/settings/keys/$key',
        params: { key: subject },
        search: { tenant },
      };
    case 'tool': {
      // The id of a tool of a registered API begins with its tenant.
      const owner = /^@([^.]+)\./.exec(subject ?? '')?.[1];
      return {
        to: '/admin/catalogue/$tool',
        params: { tool: name ?? subject },
        search: owner === undefined ? {} : { tenant: owner },
      };
    }
    case 'upstream':
      return { to: '/admin/overview', search: (current) => ({ ...current, by: 'upstream' }) };
  }
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
            <Text size="sm" component="div">
              <Outcome
                origin={state === 'healthy' ? 'ok' : 'gateway'}
                label={t(`status.${state}`)}
              />
            </Text>
          </Group>
        </Group>
      ))}
      {status.circuits.map(({ origin, circuit }) => (
        <Group key={origin} justify="space-between" wrap="nowrap">
          <Text size="sm">{origin}</Text>
          <Text size="sm" component="div">
            <Outcome
              origin={circuit === 'open' ? 'gateway' : 'caller'}
              label={t(circuit === 'open' ? 'status.open' : 'status.halfOpen')}
            />
          </Text>
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
            sort: ({ requestsToday }) => requestsToday,
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
