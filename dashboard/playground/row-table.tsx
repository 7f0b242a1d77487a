import { ActionIcon, Group, Paper, Table, Text } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../shared/use-format.ts';
import type { Row } from './find-rows.ts';
import type { ToolDetails } from './run-tool.ts';

export interface RowTableProps {
  readonly rows: readonly Row[];
  readonly columns: readonly string[];
  readonly label: string;
  /** What columns are called, and what their codes mean. */
  readonly headings?: Headings;
  /** The column whose values name quantities. */
  readonly category?: string | null;
}

type Headings = ToolDetails['headings'];

/** The title of a column with its unit: `기온 (℃)`. */
function headingOf(headings: Headings, name: string): string | null {
  const { title = null, unit = null } = headings[name] ?? {};
  if (title === null) return null;
  return unit === null ? title : `${title} (${unit})`;
}

/** Rows that are rendered at a time: a response of 10 MB has a hundred thousand. */
const PAGE = 50;
/** Characters that fit into a cell. */
const SHORT = 40;
/** Characters of a cell; the tree shows the whole. */
const MAX_CELL = 200;

/** The rows of a result, a page at a time. It scrolls sideways: it has the provider's columns. */
export function RowTable({ rows, columns, label, headings = {}, category = null }: RowTableProps) {
  const [page, setPage] = useState(0);
  // Another run may have fewer rows.
  const first = Math.min(page, Math.floor((rows.length - 1) / PAGE)) * PAGE;
  const shown = rows.slice(first, first + PAGE);
  return (
    <>
      {/* The keyboard must be able to scroll it. */}
      <Paper withBorder mah="35rem" style={{ overflow: 'auto' }} tabIndex={0}>
        <Table stickyHeader fz="0.8125rem" aria-label={label} style={{ whiteSpace: 'nowrap' }}>
          <Table.Thead>
            <Table.Tr>
              {columns.map((column) => (
                <Table.Th key={column} scope="col" fz="xs" c="dimmed" bg="var(--page-sunken)">
                  {column}
                  {headingOf(headings, column) && (
                    <Text size="xs" fw={400} component="div">
                      {headingOf(headings, column)}
                    </Text>
                  )}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shown.map((row, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity.
              <Table.Tr key={first + at}>
                {columns.map((column) => (
                  <Cell
                    key={column}
                    value={row[column]}
                    meaning={
                      column === category
                        ? headingOf(headings, String(row[column]))
                        : (headings[column]?.codes?.[String(row[column])] ?? null)
                    }
                  />
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Paper>
      <Pages first={first} count={rows.length} onChange={(next) => setPage(next / PAGE)} />
    </>
  );
}

interface CellProps {
  readonly value: unknown;
  /** What a code or a quantity means. */
  readonly meaning: string | null;
}

function Cell({ value, meaning }: CellProps) {
  const text = show(value);
  return (
    <Table.Td
      maw="22rem"
      title={text.length > SHORT ? text : undefined}
      style={{ overflow: 'hidden', textOverflow: 'ellipsis' }}
    >
      {text}
      {meaning !== null && meaning !== text && (
        <Text span size="sm" c="dimmed">
          {` ${meaning}`}
        </Text>
      )}
    </Table.Td>
  );
}

function show(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.length > MAX_CELL ? `${text.slice(0, MAX_CELL)}…` : text;
}

interface PagesProps {
  readonly first: number;
  readonly count: number;
  readonly onChange: (first: number) => void;
}

function Pages({ first, count, onChange }: PagesProps) {
  const { t } = useTranslation('playground');
  const { t: shared } = useTranslation('shared');
  const format = useFormat();
  const last = Math.min(first + PAGE, count);
  return (
    <Group justify="flex-end" gap="xs" mt="xs">
      <Text size="xs" c="dimmed" aria-live="polite">
        {count <= PAGE
          ? t('result.rows', { count })
          : t('result.page', {
              from: format.count(first + 1),
              to: format.count(last),
              all: format.count(count),
            })}
      </Text>
      {count > PAGE && (
        <>
          <ActionIcon
            variant="default"
            disabled={first === 0}
            onClick={() => onChange(first - PAGE)}
            aria-label={shared('table.previous')}
          >
            <IconChevronLeft size={16} aria-hidden />
          </ActionIcon>
          <ActionIcon
            variant="default"
            disabled={last >= count}
            onClick={() => onChange(first + PAGE)}
            aria-label={shared('table.next')}
          >
            <IconChevronRight size={16} aria-hidden />
          </ActionIcon>
        </>
      )}
    </Group>
  );
}
