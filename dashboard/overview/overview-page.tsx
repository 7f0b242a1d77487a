import { Button, Group, Stack } from '@mantine/core';
import { IconChartHistogram } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { usePerson } from '../app/session.ts';
import { useTenantInUse } from '../app/tenant-in-use.ts';
import { EmptyState } from '../shared/empty-state.tsx';
import { ErrorAlert } from '../shared/error-alert.tsx';
import { PageHeader } from '../shared/page-header.tsx';
import { Charts } from './charts.tsx';
import { Controls } from './controls.tsx';
import classes from './overview.module.css';
import { beforeQuery, type Scope, seriesQuery } from './overview-queries.ts';
import { DEFAULT_RANGE, type Grouping, readOverviewSearch } from './overview-search.ts';
import { Quotas } from './quotas.tsx';
import { Status } from './status.tsx';
import { Tiles } from './tiles.tsx';
import { TopTable } from './top-table.tsx';

/** What happens on the gateway: figures, charts, the largest groups, and what does not work. */
export function OverviewPage() {
  const { t } = useTranslation('overview');
  const {
    range = DEFAULT_RANGE,
    by = 'none',
    scope,
  } = readOverviewSearch(useSearch({ strict: false }));
  const tenant = useTenantInUse();
  const isOperator = usePerson()?.isOperator ?? false;
  const isAll = isOperator && (scope === 'all' || tenant === null);
  const shown: Scope = { tenant: isAll ? null : (tenant?.slug ?? null), range };
  const grouping: Grouping = by === 'tenant' && !isAll ? 'none' : by;
  return (
    <>
      <PageHeader title={t('title')} description={t('description')} />
      <Controls
        search={{ range, by: grouping, ...(isAll && { scope: 'all' as const }) }}
        tenantName={isOperator && tenant ? tenant.name : null}
      />
      <Stack>
        <Calls scope={shown} by={grouping} />
        <div className={classes.charts}>
          <Status tenant={shown.tenant} />
          {isOperator && <Quotas />}
        </div>
      </Stack>
    </>
  );
}

function Calls({ scope, by }: { readonly scope: Scope; readonly by: Grouping }) {
  const series = useQuery(seriesQuery(scope, by));
  const before = useQuery(beforeQuery(scope));
  if (series.error && !series.data) {
    return <ErrorAlert error={series.error} onRetry={series.refetch} />;
  }
  const all = series.data?.groups[0]?.figures;
  if (all?.calls === 0) return <NoCalls />;
  return (
    <>
      <Tiles figures={all} before={before.data?.all} />
      <Charts series={series.data} />
      <div className={classes.charts}>
        <TopTable scope={scope} kind="tool" />
        <TopTable scope={scope} kind="key" />
        <TopTable scope={scope} kind="upstream" />
        {scope.tenant === null && <TopTable scope={scope} kind="tenant" />}
      </div>
    </>
  );
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
          <Button component={Link} to="/admin/settings/keys">
            {t('empty.key')}
          </Button>
          <Button component={Link} to="/admin/catalogue" variant="default">
            {t('empty.catalogue')}
          </Button>
        </Group>
      }
    />
  );
}
