import { Group, NativeSelect, SegmentedControl, Stack, TextInput } from '@mantine/core';
import { IconChartHistogram } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { usePerson, useTenantInUse } from '../session/session.ts';
import { LinkButton } from '../shared/buttons.tsx';
import { EmptyState, ErrorAlert, PageHeader } from '../shared/page.tsx';
import { useGatewayProblems, useTenantProblems } from '../shared/problems.tsx';
import { fromLocal, toLocal } from '../shared/use-format.ts';
import { Quotas, Status, TopTable } from './cards.tsx';
import { Charts } from './charts.tsx';
import { FirstSteps } from './first-steps-card.tsx';
import classes from './overview.module.css';
import { beforeQuery, type Scope, seriesQuery } from './overview-queries.ts';
import {
  callsIn,
  DEFAULT_RANGE,
  GROUPINGS,
  type Grouping,
  inOrder,
  type OverviewSearch,
  periodOf,
  RANGES,
  readOverviewSearch,
  wholeMinutes,
} from './overview-search.ts';
import { ProblemsCard } from './problems-card.tsx';
import { RefusalsCard } from './refusals-card.tsx';
import { Tiles } from './tiles.tsx';

/** What happens on the gateway: figures, charts, the largest groups, and what does not work. */
export function OverviewPage() {
  const { t } = useTranslation('overview');
  const { by = 'none', scope, ...period } = readOverviewSearch(useSearch({ strict: false }));
  const tenant = useTenantInUse();
  const isOperator = usePerson()?.isOperator ?? false;
  const isAll = isOperator && (scope === 'all' || tenant === null);
  const shown: Scope = { tenant: isAll ? null : (tenant?.slug ?? null), period };
  const problems = useProblemsOf(shown.tenant);
  const grouping: Grouping = by === 'tenant' && !isAll ? 'none' : by;
  return (
    <>
      <PageHeader title={t('title')} description={t('description')} />
      <Controls
        search={{ ...period, by: grouping, ...(isAll && { scope: 'all' as const }) }}
        tenantName={isOperator && tenant ? tenant.name : null}
      />
      {/* All at once, so that nothing moves when the problems are known. */}
      <Stack display={problems.isLoading ? 'none' : undefined}>
        <ProblemsCard query={problems} />
        {shown.tenant !== null && tenant?.canChange && (
          <FirstSteps key={shown.tenant} tenant={shown.tenant} />
        )}
        <Calls scope={shown} by={grouping} />
        <div className={classes.charts}>
          <Status tenant={shown.tenant} />
          <RefusalsCard scope={shown} />
          {isOperator && <Quotas />}
        </div>
      </Stack>
    </>
  );
}

/** Of a tenant, or of the gateway as a whole. */
function useProblemsOf(tenant: string | null) {
  const ofTenant = useTenantProblems(tenant);
  const ofGateway = useGatewayProblems(tenant === null);
  return tenant === null ? ofGateway : ofTenant;
}

function Calls({ scope, by }: { readonly scope: Scope; readonly by: Grouping }) {
  const series = useQuery(seriesQuery(scope, by));
  const before = useQuery(beforeQuery(scope));
  const choices = useChoices(scope);
  if (series.error && !series.data) {
    return <ErrorAlert error={series.error} onRetry={series.refetch} />;
  }
  const all = series.data?.groups[0]?.figures;
  // The audit log has a page for each tenant, and none for all.
  const calls =
    series.data && scope.tenant !== null ? callsIn(series.data.timesMs, scope.period) : undefined;
  if (all?.calls === 0) return <NoCalls />;
  return (
    <>
      <Tiles figures={all} before={before.data?.all} calls={calls} />
      <Charts series={series.data} by={by} calls={calls} {...choices} />
      <div className={classes.charts}>
        <TopTable scope={scope} kind="tool" calls={calls} />
        <TopTable scope={scope} kind="key" calls={calls} />
        <TopTable scope={scope} kind="upstream" calls={calls} />
        {scope.tenant === null && <TopTable scope={scope} kind="tenant" calls={calls} />}
      </div>
    </>
  );
}

/** Dragging across a chart zooms to that time. A point leads to its calls, which the audit log has by tenant. */
function useChoices({ tenant }: Scope) {
  const navigate = useNavigate();
  const onBrush = (fromMs: number, toMs: number) =>
    void navigate({
      to: '/admin/overview',
      search: (before) => ({ ...before, range: undefined, ...wholeMinutes(fromMs, toMs) }) as never,
    });
  const onPick = (fromMs: number, toMs: number) =>
    void navigate({
      to: '/admin/audit',
      search: ({ tenant: inUse }: { readonly tenant?: string }) =>
        ({ tenant: inUse, ...wholeMinutes(fromMs, toMs) }) as never,
    });
  return { onBrush, ...(tenant !== null && { onPick }) };
}

function NoCalls() {
  const { t } = useTranslation('overview');
  return (
    <EmptyState
      icon={IconChartHistogram}
      title={t('empty.title')}
      text={t('empty.text')}
      action={
        <Group gap="xs" justify="center">
          <LinkButton to="/admin/settings/keys">{t('empty.key')}</LinkButton>
          <LinkButton to="/admin/catalogue" variant="default">
            {t('empty.catalogue')}
          </LinkButton>
        </Group>
      }
    />
  );
}

type Change = (
  changed: { readonly [Name in keyof OverviewSearch]: OverviewSearch[Name] | undefined },
) => void;

interface ControlsProps {
  readonly search: OverviewSearch & { readonly by: Grouping };
  /** The tenant in use, if the person may also see all tenants. */
  readonly tenantName: string | null;
}

/** Choose the period, the grouping and, as an operator, whose calls. Kept in the address. */
function Controls({ search, tenantName }: ControlsProps) {
  const { t } = useTranslation('overview');
  const navigate = useNavigate();
  const change: Change = (changed) =>
    void navigate({
      to: '/admin/overview',
      search: (current) => ({ ...current, ...changed }) as never,
      replace: true,
    });
  return (
    <Group gap="sm" align="flex-end" mb="md">
      {tenantName !== null && (
        <SegmentedControl
          aria-label={t('controls.scope')}
          value={search.scope ?? 'tenant'}
          onChange={(value) => change({ scope: value === 'all' ? 'all' : undefined })}
          data={[
            { value: 'tenant', label: tenantName },
            { value: 'all', label: t('controls.all') },
          ]}
        />
      )}
      <PeriodFields search={search} change={change} />
      <NativeSelect
        label={t('controls.by')}
        value={search.by}
        onChange={({ currentTarget }) =>
          change({ by: GROUPINGS.find((by) => by === currentTarget.value) ?? 'none' })
        }
        data={GROUPINGS.filter((by) => by !== 'tenant' || search.scope === 'all').map((value) => ({
          value,
          label: t(`groupings.${value}`),
        }))}
      />
    </Group>
  );
}

const NO_TIMES = { from: undefined, to: undefined };

/** A period that ends now, or one with both ends in the reader's time zone. */
function PeriodFields({ search, change }: Pick<ControlsProps, 'search'> & { change: Change }) {
  const { t } = useTranslation('overview');
  const { range = DEFAULT_RANGE, from, to } = search;
  const isExact = from !== undefined;
  const choose = (value: string) =>
    change(
      value === 'exact'
        ? { ...periodOf(search, Date.now()), range: undefined }
        : { ...NO_TIMES, range: RANGES.find((each) => each === value) },
    );
  return (
    <>
      <NativeSelect
        label={t('controls.range')}
        value={isExact ? 'exact' : range}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
        data={[...RANGES, 'exact' as const].map((value) => ({
          value,
          label: t(`ranges.${value}`),
        }))}
      />
      {isExact &&
        (
          [
            ['from', from],
            ['to', to],
          ] as const
        ).map(([name, time]) => (
          <TextInput
            key={`${name} ${time}`}
            type="datetime-local"
            label={t(`controls.${name}`)}
            defaultValue={toLocal(time)}
            onBlur={({ currentTarget }) => {
              const chosen = fromLocal(currentTarget.value);
              if (!chosen || currentTarget.value === toLocal(time)) return;
              const ends = name === 'from' ? { from: chosen, to } : { from, to: chosen };
              change(inOrder(ends));
            }}
          />
        ))}
    </>
  );
}
