import { ActionIcon, Group, Skeleton, Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './data-table.module.css';
import { ErrorAlert } from './page.tsx';
import { type Position, pageAfter, pageBefore, readPosition, searchOf } from './page-search.ts';
import { directionOf, inOrder, nextOrder, type SortOrder, type SortValue } from './sort-rows.ts';

export interface Column<Row> {
  readonly header: string;
  /** By default, the header. */
  readonly key?: string;
  readonly cell: (row: Row) => ReactNode;
  /** Numbers are aligned at their end. */
  readonly align?: 'end';
  /** The cell that names the row; on narrow screens, the title of its card. By default, the first. */
  readonly isTitle?: boolean;
  /** A column of buttons, whose header only screen readers need. */
  readonly isActions?: boolean;
  /** Any CSS width. */
  readonly width?: string;
  /** Offers to sort by this in the head, while all rows are loaded. */
  readonly sort?: (row: Row) => SortValue;
  /** On telephones: at the end of the first line, without its label, or left out, as on tablets. By default, below with its label. */
  readonly narrow?: 'beside' | 'bare' | 'hidden';
}

export interface DataTableProps<Row> {
  /** What the table shows, for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  /** Undefined while they are being loaded. */
  readonly rows: readonly Row[] | undefined;
  /** What loads them: its error is shown in place of the table. */
  readonly query?: ListQuery;
  /** Offers the pages of a list with cursors. */
  readonly paging?: CursorPaging;
  readonly rowKey: (row: Row) => string;
  /** In place of the table if it has no rows. */
  readonly empty: ReactNode;
  /** Marks a row, such as the one whose details are open. */
  readonly isSelected?: (row: Row) => boolean;
  /** A whole row that can be clicked. Offer the same as a link or a button in one of its cells, for the keyboard. */
  readonly onOpen?: (row: Row) => void;
}

const SKELETON_ROWS = 6;

/** The parts of a query that a table needs; an answer with a `nextCursor` has further pages. */
interface ListQuery {
  readonly error: Error | null;
  readonly refetch: () => unknown;
  readonly data: object | undefined;
}

/** A table, whose rows have a title and lines below it on telephones. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, query, paging, empty } = props;
  const [order, setOrder] = useState<SortOrder | null>(null);
  const isWhole = !paging || (paging.page === 1 && !nextCursorIn(query?.data));
  const head = isWhole ? { columns, order, onOrder: setOrder } : { columns };
  if (query?.error) return <ErrorAlert error={query.error} onRetry={query.refetch} />;
  return (
    <div>
      {rows?.length === 0 ? (
        empty
      ) : (
        <div className={classes.frame}>
          {/* The roles survive the change of `display` on narrow screens. */}
          {/* biome-ignore lint/a11y/noRedundantRoles: see above. */}
          <table className={classes.table} role="table" aria-label={label} aria-busy={!rows}>
            <Head {...head} />
            {rows ? (
              <Body {...props} rows={isWhole ? inOrder(rows, columns, order) : rows} />
            ) : (
              <LoadingBody columns={columns} />
            )}
          </table>
        </div>
      )}
      {paging && <Paging paging={paging} nextCursor={nextCursorIn(query?.data)} />}
    </div>
  );
}

const nextCursorIn = (data: { readonly nextCursor?: string | null } | undefined) =>
  data?.nextCursor;

interface HeadProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly order?: SortOrder | null;
  /** Absent: the rows cannot be sorted. */
  readonly onOrder?: (order: SortOrder | null) => void;
}

const Head = <Row,>({ columns, order = null, onOrder }: HeadProps<Row>) => (
  <thead
    className={classes.head}
    data-sortable={(onOrder && columns.some(({ sort }) => sort)) || undefined}
  >
    {/* biome-ignore lint/a11y/noRedundantRoles: it survives the change of `display`. */}
    <tr role="row">
      {columns.map(({ header, key = header, align, isActions, width, narrow, sort }) => (
        <th
          key={key}
          scope="col"
          // biome-ignore lint/a11y/noRedundantRoles: it survives the change of `display`.
          role="columnheader"
          data-align={align}
          data-narrow={narrow === 'hidden' ? narrow : undefined}
          style={{ width }}
          aria-sort={sort && onOrder && directionOf(key, order)}
        >
          {isActions ? (
            <VisuallyHidden>{header}</VisuallyHidden>
          ) : sort && onOrder ? (
            <UnstyledButton
              className={classes.sort}
              onClick={() => onOrder(nextOrder(key, order, align === 'end'))}
            >
              {header}
            </UnstyledButton>
          ) : (
            header
          )}
        </th>
      ))}
    </tr>
  </thead>
);

function Body<Row>(props: DataTableProps<Row> & { readonly rows: readonly Row[] }) {
  const { columns, rows, rowKey, isSelected, onOpen } = props;
  return (
    <tbody>
      {rows.map((row) => (
        <tr
          key={rowKey(row)}
          // biome-ignore lint/a11y/noRedundantRoles: it survives the change of `display`.
          role="row"
          data-selected={isSelected?.(row) || undefined}
          data-clickable={onOpen !== undefined || undefined}
          onClick={onOpen && ((event) => isOnRow(event.target) && onOpen(row))}
        >
          {columns.map((column, at) => (
            <Cell key={column.key ?? column.header} column={column} isFirst={at === 0} row={row} />
          ))}
        </tr>
      ))}
    </tbody>
  );
}

interface CellProps<Row> {
  readonly column: Column<Row>;
  readonly isFirst: boolean;
  readonly row: Row;
}

const Cell = <Row,>({ column, isFirst, row }: CellProps<Row>) => (
  <td
    // biome-ignore lint/a11y/noRedundantRoles: it survives the change of `display`.
    role="cell"
    data-label={column.isActions ? undefined : column.header}
    data-align={column.align}
    data-title={(column.isTitle ?? isFirst) || undefined}
    data-actions={column.isActions}
    data-narrow={column.narrow}
  >
    {column.cell(row)}
  </td>
);

/** A click on a button or a link within the row is meant for that, and selecting text is no click. */
const isOnRow = (target: EventTarget): boolean =>
  target instanceof Element &&
  !target.closest('a, button, input, label') &&
  (window.getSelection()?.isCollapsed ?? true);

function LoadingBody<Row>({ columns }: { readonly columns: readonly Column<Row>[] }) {
  const { t } = useTranslation('shared');
  return (
    <tbody aria-label={t('table.loading')}>
      {Array.from({ length: SKELETON_ROWS }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: these rows never change their order.
        <tr key={at}>
          {columns.map(({ header, key = header }) => (
            <td key={key}>
              <Skeleton height={14} width={at % 2 ? '55%' : '75%'} />
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}

/** Where one is in a list with cursors. */
interface CursorPaging {
  /** Undefined on the first page. */
  readonly cursor: string | undefined;
  /** Counts from 1. */
  readonly page: number;
  readonly previous: () => void;
  readonly next: (cursor: string) => void;
}

interface PagingOptions {
  /** What is listed, where the address does not say it: another key starts at the first page. */
  readonly key?: string;
  /** Begins the names of the members of the address; for the second list of a page. */
  readonly list?: string;
}

/** Keeps the page in the address. A link that changes what is listed must name the `FIRST_PAGE`. */
export function useCursorPaging({ key = '', list = '' }: PagingOptions = {}): CursorPaging {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const [listed, setListed] = useState(key);
  const isListed = listed === key;
  const position = readPosition(isListed ? search : {}, list);
  const open = (next: Position, replace = false) =>
    void navigate({
      to: '.',
      search: (before) => ({ ...before, ...searchOf(next, list) }) as never,
      replace,
    });
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another key opens the first page.
  useEffect(() => {
    if (isListed) return;
    setListed(key);
    open(readPosition({}), true);
  }, [key]);
  return {
    cursor: position.cursors.at(-1),
    page: position.page,
    previous: () => open(pageBefore(position)),
    next: (cursor) => open(pageAfter(position, cursor)),
  };
}

interface PagingProps {
  readonly paging: CursorPaging;
  /** The cursor of the next page; null on the last one, undefined while it is loaded. */
  readonly nextCursor: string | null | undefined;
}

/** Buttons to the page before and the next one; nothing for a list of one page. */
function Paging({ paging, nextCursor }: PagingProps) {
  const { t } = useTranslation('shared');
  if (paging.page === 1 && !nextCursor) return null;
  return (
    <Group justify="flex-end" gap="xs" mt="sm">
      <Text size="sm" c="dimmed" aria-live="polite">
        {t('table.page', { page: paging.page })}
      </Text>
      <ActionIcon
        variant="default"
        size="lg"
        disabled={paging.page === 1}
        onClick={paging.previous}
        aria-label={t('table.previous')}
      >
        <IconChevronLeft size={18} aria-hidden />
      </ActionIcon>
      <ActionIcon
        variant="default"
        size="lg"
        disabled={!nextCursor}
        onClick={() => nextCursor && paging.next(nextCursor)}
        aria-label={t('table.next')}
      >
        <IconChevronRight size={18} aria-hidden />
      </ActionIcon>
    </Group>
  );
}
