import { type Awaitable, whenReady } from '../../platform/kernel/awaitable.ts';
import { CODE_LIMITS, type CodeQuery, checkTextQuery } from '../code-query.ts';
import type { CodeHit } from '../code-table.ts';
import type { CodeTables } from '../code-tables.ts';
import type { CodesWithin } from '../codes-within.ts';
import type { Resolution } from '../resolve-code.ts';
import type { Companies } from './companies.ts';
import { COMPANY_KIND } from './company-file.ts';

export type CodeBook = ReturnType<typeof createCodeBook>;

/**
 * All codes that a gateway finds: codes of the tables that are shipped, and companies while a preset has a list of them,
 * which is fetched.
 */
export function createCodeBook(
  tables: Pick<CodeTables, 'kinds' | 'find' | 'resolve' | 'within' | 'prepare'>,
  companies: Pick<Companies, 'table' | 'keyName'>,
) {
  let kinds: readonly string[] = tables.kinds;
  let keyName: string | undefined;
  const isListed = (kind: string): boolean =>
    kind === COMPANY_KIND && companies.keyName !== undefined;
  return {
    /** Another array once they or the note have changed. */
    get kinds(): readonly string[] {
      if (keyName !== companies.keyName) {
        keyName = companies.keyName;
        kinds = [...tables.kinds, ...(keyName === undefined ? [] : [COMPANY_KIND])];
      }
      return kinds;
    },
    /** Prepares the tables that are shipped, while other work continues. */
    prepare: tables.prepare,
    /** What to know before choosing a kind. */
    get kindNote(): string | undefined {
      return companies.keyName && `${COMPANY_KIND} needs ${companies.keyName}.`;
    },
    /** As `CodeTables.find`; fails as well if the list of companies is not available. */
    find(query: CodeQuery): Awaitable<readonly CodeHit[]> {
      if (!isListed(query.kind)) return tables.find(query);
      const text = checkTextQuery(query);
      const { limit = CODE_LIMITS.defaultHits } = query;
      return whenReady(companies.table(), (table) => table.find(text, limit));
    },
    /** As `CodeTables.resolve`, likewise. */
    resolve(kind: string, text: string, argument?: string): Awaitable<Resolution> {
      if (!isListed(kind)) return tables.resolve(kind, text, argument);
      return whenReady(companies.table(), (table) => table.resolve(text));
    },
    /** As `CodeTables.within`; companies lie in no place. */
    within: (kind: string, place: string, argument?: string): CodesWithin =>
      kind === COMPANY_KIND ? undefined : tables.within(kind, place, argument),
  };
}
