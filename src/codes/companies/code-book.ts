import { type Awaitable, whenReady } from '../../platform/kernel/awaitable.ts';
import type { CodeHit } from '../code-hit.ts';
import { CODE_LIMITS, type CodeQuery, checkTextQuery } from '../code-query.ts';
import type { CodeTables } from '../code-tables.ts';
import type { Resolution } from '../resolve-code.ts';
import type { Companies } from './companies.ts';
import { COMPANY_KIND } from './company.ts';

type Kinds = Pick<CodeBook, 'kinds' | 'kindNote'> & Pick<Companies, 'keyName'>;

/** All codes that a gateway finds: those of its tables, and companies while a preset has a list of them. */
export interface CodeBook {
  /** Another array once they or the note have changed. */
  readonly kinds: readonly string[];
  /** What to know before choosing a kind. */
  readonly kindNote?: string | undefined;
  /** As `CodeTables.find`; fails as well if the list of companies is not available. */
  find(query: CodeQuery): Awaitable<readonly CodeHit[]>;
  /** As `CodeTables.resolve`, likewise. */
  resolve(kind: string, text: string, argument?: string): Awaitable<Resolution>;
}

/** Joins the tables that are shipped and the list that is fetched, if a preset has one at the time. */
export function createCodeBook(
  tables: Pick<CodeTables, 'kinds' | 'find' | 'resolve'>,
  companies: Pick<Companies, 'table' | 'keyName'>,
): CodeBook {
  let last = kindsWith(tables, companies);
  const now = (): Kinds => {
    if (last.keyName !== companies.keyName) last = kindsWith(tables, companies);
    return last;
  };
  const isListed = (kind: string): boolean =>
    kind === COMPANY_KIND && companies.keyName !== undefined;
  return {
    get kinds() {
      return now().kinds;
    },
    get kindNote() {
      return now().kindNote;
    },
    find(query) {
      if (!isListed(query.kind)) return tables.find(query);
      const text = checkTextQuery(query);
      const limit = query.limit ?? CODE_LIMITS.defaultHits;
      return whenReady(companies.table(), (table) => table.find(text, limit));
    },
    resolve(kind, text, argument) {
      if (!isListed(kind)) return tables.resolve(kind, text, argument);
      return whenReady(companies.table(), (table) => table.resolve(text));
    },
  };
}

const kindsWith = (
  { kinds }: Pick<CodeTables, 'kinds'>,
  { keyName }: Pick<Companies, 'keyName'>,
): Kinds =>
  keyName === undefined
    ? { kinds: [...kinds], keyName }
    : { kinds: [...kinds, COMPANY_KIND], kindNote: `${COMPANY_KIND} needs ${keyName}.`, keyName };
