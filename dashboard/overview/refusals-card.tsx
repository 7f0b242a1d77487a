import { Stack, Title } from '@mantine/core';
import { useIsFetching, useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { AdminAnswer } from '../api/call-admin.ts';
import { LinkAnchor } from '../shared/buttons.tsx';
import { type Column, DataTable, type DataTableProps } from '../shared/data-table.tsx';
import { Hint } from '../shared/page.tsx';
import { RelativeTime } from '../shared/relative-time.tsx';
import { TimeChart } from '../shared/time-chart.tsx';
import { useFormat } from '../shared/use-format.ts';
import classes from './overview.module.css';
import { type Refusals, refusalsQuery, type Scope } from './overview-queries.ts';

/** In the address of the overview: leads to the card. */
const REFUSED = 'refused';

type Reason = Refusals['reasons'][number];
type Subject = Refusals['subjects'][number];
type Address = AdminAnswer<'GET /statistics/refusals'>['wrongKeys']['addresses'][number];

/** Requests that were refused before they became calls: why, to which keys, and for operators the addresses with wrong keys. */
export function RefusalsCard({ scope }: { readonly scope: Scope }) {
  const { t } = useTranslation('overview');
  const { count } = useFormat();
  const query = useQuery(refusalsQuery(scope));
  const { refusals, wrongKeys } = query.data ?? {};
  const ofTenant = scope.tenant !== null;
  return (
    <section ref={useTarget(REFUSED)} className={classes.card} aria-label={t('refused.title')}>
      <Title order={2} size="h5">
        {t('refused.title')}
      </Title>
      <Hint size="xs" mb="xs">
        {t('refused.text')}
      </Hint>
      <Stack>
        <RefusalReasons query={query} refusals={refusals} />
        {refusals && refusals.subjects.length > 0 && (
          <DataTable
            label={t(ofTenant ? 'refused.keys' : 'refused.tenants')}
            rows={refusals.subjects}
            rowKey={({ subject }) => subject}
            empty=""
            columns={[
              {
                header: t(ofTenant ? 'refused.key' : 'refused.tenant'),
                cell: (row) => <Refused row={row} isKey={ofTenant} />,
                sort: ({ name, subject }) => name ?? subject,
              },
              {
                header: t('refused.count'),
                align: 'end',
                cell: (row) => count(row.count),
                sort: (row) => row.count,
              },
            ]}
          />
        )}
        {wrongKeys && wrongKeys.total > 0 && <WrongKeys addresses={wrongKeys.addresses} />}
      </Stack>
    </section>
  );
}

/** Shows an element that the address names, once nothing above it moves any more. */
function useTarget(hash: string) {
  const ref = useRef<HTMLElement>(null);
  const isNamed = useLocation().hash === hash;
  const isLoading = useIsFetching() > 0;
  const wasShown = useRef(false);
  useEffect(() => {
    if (!isNamed || isLoading || wasShown.current) return;
    wasShown.current = true;
    ref.current?.scrollIntoView();
  }, [isNamed, isLoading]);
  return ref;
}

/** Leads to the key, or to the overview of the tenant. */
function Refused({ row, isKey }: { readonly row: Subject; readonly isKey: boolean }) {
  const { subject, name } = row;
  if (name === null) return subject;
  return isKey ? (
    <LinkAnchor to="/admin/settings/keys/$key" params={{ key: subject }} size="sm">
      {name}
    </LinkAnchor>
  ) : (
    <LinkAnchor to="/admin/overview" search={{ tenant: name }} size="sm">
      {name}
    </LinkAnchor>
  );
}

/** The addresses that showed the most wrong keys to one process of the gateway. */
function WrongKeys({ addresses }: { readonly addresses: readonly Address[] }) {
  const { t } = useTranslation('overview');
  const { count } = useFormat();
  return (
    <DataTable
      label={t('refused.wrongKeys')}
      rows={addresses}
      rowKey={({ address }) => address}
      empty=""
      columns={[
        { header: t('refused.address'), cell: ({ address }) => address },
        {
          header: t('refused.wrongKeys'),
          align: 'end',
          cell: (row) => count(row.count),
          sort: (row) => row.count,
        },
        {
          header: t('refused.last'),
          cell: ({ lastAt }) => <RelativeTime at={lastAt} />,
          sort: ({ lastAt }) => lastAt,
        },
      ]}
    />
  );
}

interface RefusalReasonsProps extends Pick<DataTableProps<Reason>, 'query'> {
  readonly refusals: Refusals | undefined;
  /** Also shows when, and what to do. */
  readonly inDetail?: boolean;
}

/** Refused requests by reason, with the last time of each. */
export function RefusalReasons({ refusals, inDetail = false, ...table }: RefusalReasonsProps) {
  const { t } = useTranslation('overview');
  const { count } = useFormat();
  const advice: Column<Reason> = {
    header: t('refused.advice'),
    cell: ({ reason }) => t(`refused.todo.${reason}`),
  };
  return (
    <>
      {inDetail && refusals && refusals.total > 0 && <RefusalChart refusals={refusals} />}
      <DataTable
        {...table}
        label={t('refused.title')}
        rows={refusals?.reasons}
        rowKey={({ reason }) => reason}
        empty={<Hint>{t('refused.none')}</Hint>}
        columns={[
          {
            header: t('refused.reason'),
            cell: ({ reason }) => t(`refused.reasons.${reason}`),
            sort: ({ reason }) => t(`refused.reasons.${reason}`),
          },
          {
            header: t('refused.count'),
            align: 'end',
            cell: (row) => count(row.count),
            sort: (row) => row.count,
          },
          {
            header: t('refused.last'),
            cell: ({ lastMs }) => <RelativeTime at={lastMs} />,
            sort: ({ lastMs }) => lastMs,
          },
          ...(inDetail ? [advice] : []),
        ]}
      />
    </>
  );
}

const COLOURS = ['--chart-1', '--chart-2', '--chart-3', '--chart-4', '--chart-5'] as const;
const HEIGHT = 160;

function RefusalChart({ refusals: { timesMs, reasons } }: { readonly refusals: Refusals }) {
  const { t } = useTranslation('overview');
  const { count } = useFormat();
  return (
    <TimeChart
      label={t('refused.count')}
      kind="bars"
      isStacked
      height={HEIGHT}
      format={count}
      times={timesMs}
      series={reasons.map(({ reason, points }, at) => ({
        key: reason,
        label: t(`refused.reasons.${reason}`),
        colour: COLOURS[at] ?? '--chart-6',
        values: points,
      }))}
    />
  );
}
