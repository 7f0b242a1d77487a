import { Table } from '@mantine/core';
import { useFormat } from '../shared/use-format.ts';
import type { Row } from './find-rows.ts';
import { toNumber } from './find-series.ts';
import classes from './playground.module.css';

/** Rows that are labels with a number. */
export interface Bars {
  readonly labelName: string;
  readonly valueName: string;
  readonly bars: readonly { readonly label: string; readonly value: number }[];
}

const MAX_BARS = 60;
/** Wider tables are records rather than figures. */
const MAX_COLUMNS = 4;

/** Rows whose first column names each of them, with their first number; null if they are none, or too many for a chart. */
export function findBars(rows: readonly Row[], columns: readonly string[]): Bars | null {
  const [labelName = '', ...others] = columns;
  const labels = rows.map((row) => String(row[labelName] ?? '–'));
  const isEach = new Set(labels).size === rows.length;
  if (!isEach || rows.length < 2 || rows.length > MAX_BARS || columns.length > MAX_COLUMNS)
    return null;
  const valueName = others.find((name) => rows.some((row) => toNumber(row[name]) !== null));
  if (valueName === undefined) return null;
  const bars = rows.flatMap((row, at) => {
    const value = toNumber(row[valueName]);
    return value === null ? [] : [{ label: labels[at] ?? '', value }];
  });
  return bars.every(({ value }) => value >= 0) ? { labelName, valueName, bars } : null;
}

/** A bar for each label, with its number beside it. */
export function BarList({ labelName, valueName, bars }: Bars) {
  const { count } = useFormat();
  const highest = Math.max(...bars.map(({ value }) => value)) || 1;
  return (
    <Table fz="0.8125rem" verticalSpacing={4} aria-label={`${valueName} / ${labelName}`}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">{labelName}</Table.Th>
          <Table.Th scope="col" colSpan={2}>
            {valueName}
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {bars.map(({ label, value }) => (
          <Table.Tr key={label}>
            <Table.Td>{label}</Table.Td>
            <Table.Td ta="end" w="1%" style={{ whiteSpace: 'nowrap' }}>
              {count(value)}
            </Table.Td>
            <Table.Td w="60%">
              <div className={classes.bar} style={{ width: `${(100 * value) / highest}%` }} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
