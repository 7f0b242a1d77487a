import { Group } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FilterChip } from '../catalogue/filter-chip.tsx';
import { TimeChart } from '../shared/time-chart.tsx';
import { useFormat } from '../shared/use-format.ts';
import type { Series } from './find-series.ts';

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

export interface SeriesChartProps {
  readonly series: Series;
  readonly tool: string;
}

/** Values over time, with a switch for each line. */
export function SeriesChart({ series, tool }: SeriesChartProps) {
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
