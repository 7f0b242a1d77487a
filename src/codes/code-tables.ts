import { join } from 'node:path';
import {
  CODE_LIMITS,
  type CodeQuery,
  checkArgument,
  checkKind,
  checkQuery,
  checkText,
} from './code-query.ts';
import { type CodeHit, type CodeTable, readCodeTable } from './code-table.ts';
import { type CodesWithin, codesWithin } from './codes-within.ts';
import { CODE_KINDS, type CodeKind, KIND_TITLES } from './kinds/kinds.ts';
import { findRows, type OpenKind, openKind } from './open-kind.ts';
import { type Resolution, resolveCode } from './resolve-code.ts';

export type CodeTables = ReturnType<typeof createCodeTables>;

/**
 * The code tables: places, districts, stations and other codes that arguments of tools take. A table of the folder is read
 * when it is first needed, at the latest, and stays in memory.
 */
export function createCodeTables({ dir }: { readonly dir: string }) {
  const tables = new Map<string, CodeTable>();
  const opened = new Map<CodeKind, OpenKind>();
  const open = (file: string): CodeTable =>
    remember(tables, file, () => readCodeTable(join(dir, `${file}.tsv`)));
  const kindOf = (kind: CodeKind): OpenKind =>
    remember(opened, kind, () => openKind(kind, open, (other) => kindOf(other).names()));
  return {
    /** The kinds that exist. */
    kinds: CODE_KINDS,
    /** Reads and indexes all of them while other work continues, so that no call has to. */
    async prepare(): Promise<void> {
      for (const kind of CODE_KINDS) await kindOf(kind).prepare();
    },
    /** What the codes of each kind are for, in a few words. */
    titles: KIND_TITLES,
    /**
     * The codes that fit a text, best first, or that are nearest to a point, with `km`. No hit gives an empty list.
     * Fails with `invalid_arguments` if the query cannot be answered.
     */
    find(query: CodeQuery): CodeHit[] {
      const { argument, limit = CODE_LIMITS.defaultHits } = query;
      const name = checkQuery(query);
      const kind = kindOf(name);
      if (argument !== undefined) checkArgument(name, argument, kind.arguments);
      return findRows(kind, query)
        .slice(0, limit)
        .map(({ row, km }) => ({
          ...kind.show(row),
          ...(km !== undefined && { km: Math.round(km * 10) / 10 }),
        }));
    },
    /**
     * The code that a name stands for, or the choices if it fits several codes or none with certainty. A text that is a
     * code stands for itself. `argument` restricts a kind that has codes for it among others.
     */
    resolve(name: string, text: string, argument?: string): Resolution {
      const kind = kindOf(checkKind(name));
      checkText(text);
      const isOne = argument !== undefined && kind.arguments.includes(argument);
      return resolveCode(kind, text, isOne ? argument : undefined);
    },
    /** The codes of a kind below a place, such as the districts of a city. Fails if there is no such kind. */
    within: (name: string, place: string, argument?: string): CodesWithin =>
      codesWithin(kindOf, checkKind(name), place, argument),
  };
}

function remember<K, V>(known: Map<K, V>, key: K, make: () => V): V {
  const value = known.get(key) ?? make();
  known.set(key, value);
  return value;
}
