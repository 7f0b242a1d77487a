import { type Expression, type SqlBool, sql } from 'kysely';

/** Whether a column, such as `tenants.name`, contains a text, whatever its case. Its wildcards stand for themselves. */
export const containsText = (column: string, text: string): Expression<SqlBool> =>
  likeText(column, `%${escaped(text)}%`);

export const startsWithText = (column: string, text: string): Expression<SqlBool> =>
  likeText(column, `${escaped(text)}%`);

const escaped = (text: string): string => text.toLowerCase().replaceAll(/[\\%_]/g, '\\$&');

const likeText = (column: string, pattern: string): Expression<SqlBool> =>
  sql<SqlBool>`lower(${sql.ref(column)}) like ${pattern} escape '\\'`;
