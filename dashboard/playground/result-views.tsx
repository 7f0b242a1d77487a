import { Alert, Button, Group, Tabs } from '@mantine/core';
import { IconAlertTriangle, IconDownload } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { RawText } from '../shared/code-block.tsx';
import { FilterChip } from '../shared/filter-chip.tsx';
import { Json } from '../shared/json.tsx';
import { Hint } from '../shared/page.tsx';
import { TimeChart } from '../shared/time-chart.tsx';
import { useFormat } from '../shared/use-format.ts';
import { BarList, findBars } from './bar-list.tsx';
import { columnsOf, findRows, readTable } from './find-rows.ts';
import { findSeries, type Series } from './find-series.ts';
import { RangeFacts } from './range-run.tsx';
import { hasFiles, ResultFiles } from './result-files.tsx';
import { RowTable } from './row-table.tsx';
import type { RpcResult, Run, ToolDetails } from './run-tool.ts';

/** A result as a table, a chart, a tree and as text. Only the open view is rendered. */
export function ResultViews({ run, tool }: { readonly run: Run; readonly tool: ToolDetails }) {
  const { t } = useTranslation('playground');
  const { data, rows: counted } = run.result ?? {};
  const place = counted?.found ?? tool;
  const found = useMemo(() => {
    const table = readTable(data);
    const rows = table?.rows ?? findRows(data, place);
    const columns = columnsOf(rows);
    const series = findSeries(rows, columns);
    const bars = table && !series ? findBars(rows, columns) : null;
    return { rows, columns, series, bars, headings: table?.headings ?? tool.headings };
  }, [data, place, tool]);
  const { rows, columns, series, bars, headings } = found;
  const [chosen, choose] = useState<string | null>(null);
  const isThere = (view: string) =>
    view === 'chart' ? (series ?? bars) : rows.length > 0 || view !== 'table';
  const view = chosen !== null && isThere(chosen) ? chosen : rows.length > 0 ? 'table' : 'tree';
  return (
    <>
      {run.result && <Upstream result={run.result} />}
      {run.result && <RangeFacts {...run.result} />}
      {run.result?.rows?.hint && <Hint>{run.result.rows.hint}</Hint>}
      <Tabs value={view} onChange={choose} keepMounted={false}>
        <Group justify="space-between" gap={4}>
          <Tabs.List>
            {rows.length > 0 && <Tabs.Tab value="table">{t('result.table')}</Tabs.Tab>}
            {(series ?? bars) && <Tabs.Tab value="chart">{t('result.chart')}</Tabs.Tab>}
            <Tabs.Tab value="tree">{t('result.tree')}</Tabs.Tab>
            <Tabs.Tab value="raw">{t('result.raw')}</Tabs.Tab>
          </Tabs.List>
          {hasFiles(run, tool) ? (
            <ResultFiles key={run.text} run={run} tool={tool} />
          ) : (
            <Download text={run.text} tool={tool.name} />
          )}
        </Group>
        <Tabs.Panel value="table" pt="sm">
          <RowTable
            rows={rows}
            columns={columns}
            label={tool.title ?? tool.name}
            headings={headings}
            category={tool.pivotCategory}
          />
        </Tabs.Panel>
        <Tabs.Panel value="chart" pt="sm">
          {series && <SeriesChart series={series} tool={tool.title ?? tool.name} />}
          {bars && <BarList {...bars} />}
        </Tabs.Panel>
        <Tabs.Panel value="tree" pt="sm" mah="36rem" style={{ overflow: 'auto' }}>
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

const COLOURS = [
  '--chart-1',
  '--chart-2',
  '--chart-3',
  '--chart-4',
  '--chart-5',
  '--chart-6',
] as const;
/** Lines that are shown at first; quantities of different kinds share one scale. */
const AT_FIRST = 1;

/** Values over time, with a switch for each line. */
function SeriesChart({ series, tool }: { readonly series: Series; readonly tool: string }) {
  const { t } = useTranslation('playground');
  const { count } = useFormat();
  const [shown, setShown] = useState(() => series.lines.slice(0, AT_FIRST).map(({ name }) => name));
  const lines = useMemo(
    () =>
      series.lines.flatMap(({ name, values }, at) =>
        shown.includes(name)
          ? [
              {
                key: name,
                label: name,
                colour: COLOURS[at % COLOURS.length] ?? '--chart-1',
                values,
              },
            ]
          : [],
      ),
    [series, shown],
  );
  const toggle = (name: string) =>
    setShown(shown.includes(name) ? shown.filter((one) => one !== name) : [...shown, name]);
  return (
    <>
      {series.lines.length > 1 && (
        <Group gap={6} mb="sm">
          {series.lines.map(({ name }) => (
            <FilterChip
              key={name}
              label={name}
              isOn={shown.includes(name)}
              onClick={() => toggle(name)}
            />
          ))}
        </Group>
      )}
      <TimeChart
        label={t('result.chartOf', { tool, time: series.timeName })}
        times={series.times}
        series={lines}
        kind="lines"
        format={count}
        height={280}
      />
    </>
  );
}
