import { Alert, Button, Tabs } from '@mantine/core';
import { IconAlertTriangle, IconDownload } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ToolDetails } from '../catalogue/catalogue-queries.ts';
import { Json } from '../shared/json.tsx';
import { RawText } from '../shared/raw-text.tsx';
import { columnsOf, findRows } from './find-rows.ts';
import { findSeries } from './find-series.ts';
import { RowTable } from './row-table.tsx';
import classes from './run-panel.module.css';
import type { RpcResult, Run } from './run-tool.ts';
import { SeriesChart } from './series-chart.tsx';

export interface ResultViewsProps {
  readonly run: Run;
  readonly tool: ToolDetails;
}

/** A result as a table, a chart, a tree and as text. Only the open view is rendered. */
export function ResultViews({ run, tool }: ResultViewsProps) {
  const { t } = useTranslation('playground');
  const data = run.result?.data;
  const found = useMemo(() => {
    const rows = findRows(data, tool);
    const columns = columnsOf(rows);
    return { rows, columns, series: findSeries(rows, columns) };
  }, [data, tool]);
  const { rows, columns, series } = found;
  const [chosen, choose] = useState<string | null>(null);
  const isThere = (view: string) =>
    view === 'chart' ? series : rows.length > 0 || view !== 'table';
  const view = chosen !== null && isThere(chosen) ? chosen : rows.length > 0 ? 'table' : 'tree';
  return (
    <>
      {run.result && <Upstream result={run.result} />}
      <Tabs value={view} onChange={choose} keepMounted={false}>
        <div className={classes.views}>
          <Tabs.List>
            {rows.length > 0 && <Tabs.Tab value="table">{t('result.table')}</Tabs.Tab>}
            {series && <Tabs.Tab value="chart">{t('result.chart')}</Tabs.Tab>}
            <Tabs.Tab value="tree">{t('result.tree')}</Tabs.Tab>
            <Tabs.Tab value="raw">{t('result.raw')}</Tabs.Tab>
          </Tabs.List>
          <Download text={run.text} tool={tool.name} />
        </div>
        <Tabs.Panel value="table" pt="sm">
          <RowTable rows={rows} columns={columns} label={tool.title ?? tool.name} />
        </Tabs.Panel>
        <Tabs.Panel value="chart" pt="sm">
          {series && <SeriesChart series={series} tool={tool.title ?? tool.name} />}
        </Tabs.Panel>
        <Tabs.Panel value="tree" pt="sm" className={classes.tree}>
          <Json value={data} label={t('result.tree')} />
        </Tabs.Panel>
        <Tabs.Panel value="raw" pt="sm">
          <RawText text={run.text} label={t('result.raw')} />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

/** What the upstream itself said, if it was not a plain success. */
function Upstream({ result: { upstream, publicData } }: { readonly result: RpcResult }) {
  const { t } = useTranslation('playground');
  const isFailed = upstream.status >= 400;
  if (!isFailed && !publicData?.hint) return null;
  return (
    <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />}>
      {isFailed && t('result.upstreamFailed', { status: upstream.status })}{' '}
      {publicData &&
        [publicData.code, publicData.message, publicData.hint].filter(Boolean).join(' ')}
    </Alert>
  );
}

function Download({ text, tool }: { readonly text: string; readonly tool: string }) {
  const { t } = useTranslation('playground');
  return (
    <Button
      size="compact-xs"
      variant="subtle"
      color="gray"
      leftSection={<IconDownload size={14} aria-hidden />}
      onClick={() => save(text, `${tool}.json`)}
    >
      {t('result.download')}
    </Button>
  );
}

function save(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  URL.revokeObjectURL(url);
}
