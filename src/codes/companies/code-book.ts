import { type Awaitable, whenReady } from '../../platform/kernel/awaitable.ts';
import type { CodeHit } from '../code-hit.ts';
import { CODE_LIMITS, type CodeQuery, checkTextQuery } from '../code-query.ts';
import type { CodeTables } from '../code-tables.ts';
import type { Resolution } from '../resolve-code.ts';
import type { Companies } from './companies.ts';
import { COMPANY_KIND } from './company.ts';

/** All codes that a gateway finds: those of its tables, and companies if a preset has a list of them. */
export interface CodeBook {
  readonly kinds: readonly string[];
  /** What to know before choosing a kind. */
  readonly kindNote?: string;
  /** As `CodeTables.find`; fails as well if the list of companies is not available. */
  find(query: CodeQuery): Awaitable<readonly CodeHit[]>;
  /** As `CodeTables.resolve`, likewise. */
  resolve(kind: string, text: string, argument?: string): Awaitable<Resolution>;
}

/** Joins the tables that are shipped and the list that is fetched. */
export function createCodeBook(
  tables: Pick<CodeTables, 'kinds' | 'find' | 'resolve'>,
  companies?: Pick<Companies, 'table' | 'keyName'>,
): CodeBook {
  if (!companies) return tables;
  return {
    kinds: [...tables.kinds, COMPANY_KIND],
    kindNote: `${COMPANY_KIND} needs ${companies.keyName}.`,
    find(query) {
      if (query.kind !== COMPANY_KIND) return tables.find(query);
      const text = checkTextQuery(query);
      const limit = query.limit ?? CODE_LIMITS.defaultHits;
      return whenReady(companies.table(), (table) => table.find(text, limit));
    },
    resolve(kind, text, argument) {
      if (kind !== COMPANY_KIND) return tables.resolve(kind, text, argument);
      return whenReady(companies.table(), (table) => table.resolve(text));
    },
  };
}
