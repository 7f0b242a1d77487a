import { type Expression, type SqlBool, sql } from 'kysely';

/** Whether one of the columns, such as `tenants.name`, contains a text, whatever its case. Its wildcards stand for themselves. */
export const containsText = (columns: readonly string[], text: string): Expression<SqlBool> =>
  sql<SqlBool>`(${sql.join(
    columns.map((column) => likeText(column, `%${literal(text)}%`)),
    sql` or `,
  )})`;

export const startsWithText = (column: string, text: string): Expression<SqlBool> =>
  likeText(column, `${literal(text)}%`);

/** A part of a pattern for LIKE. PostgreSQL refuses NUL. */
const literal = (text: string): string =>
  text.replaceAll('\0', '\uFFFD').replaceAll(/[\\%_]/g, '\\$&');

/** The database lowers both: SQLite knows fewer capital letters than PostgreSQL. */
const likeText = (column: string, pattern: string): Expression<SqlBool> =>
  sql<SqlBool>`lower(${sql.ref(column)}) like lower(${pattern}) escape '\\'`;
