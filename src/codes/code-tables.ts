import { join } from 'node:path';
import type { CodeHit } from './code-hit.ts';
import {
  CODE_LIMITS,
  type CodeQuery,
  checkArgument,
  checkKind,
  checkQuery,
  checkText,
} from './code-query.ts';
import { type CodeTable, readCodeTable } from './code-table.ts';
import { findRows, type RankedRow } from './find-rows.ts';
import { CODE_KINDS, type CodeKind, KIND_TITLES } from './kinds/kinds.ts';
import { type OpenKind, openKind } from './open-kind.ts';
import { type Resolution, resolveCode } from './resolve-code.ts';

/** The code tables: places, districts, stations and other codes that arguments of tools take. */
export interface CodeTables {
  /** The kinds that exist. */
  readonly kinds: readonly CodeKind[];
  /** What the codes of each kind are for, in a few words. */
  readonly titles: Readonly<Record<CodeKind, string>>;
  /**
   * The codes that fit a text, best first, or that are nearest to a point, with `km`. No hit gives an empty list.
   * Fails with `invalid_arguments` if the query cannot be answered.
   */
  find(query: CodeQuery): CodeHit[];
  /**
   * The code that a name stands for, or the choices if it fits several codes or none with certainty. A text that is a
   * code stands for itself. `argument` restricts a kind that has codes for it among others.
   */
  resolve(kind: string, text: string, argument?: string): Resolution;
}

/** Opens the tables of a folder. A table is read when it is first needed, and stays in memory. */
export function createCodeTables({ dir }: { readonly dir: string }): CodeTables {
  const tables = new Map<string, CodeTable>();
  const opened = new Map<CodeKind, OpenKind>();

  const open = (file: string): CodeTable =>
    remember(tables, file, () => readCodeTable(join(dir, `${file}.tsv`)));
  const kindOf = (kind: CodeKind): OpenKind =>
    remember(opened, kind, () => openKind(kind, open, (other) => kindOf(other).names()));

  function openFor(kind: CodeKind, argument: string | undefined): OpenKind {
    const openedKind = kindOf(kind);
    if (argument !== undefined) checkArgument(kind, argument, openedKind.arguments);
    return openedKind;
  }

  return {
    kinds: CODE_KINDS,
    titles: KIND_TITLES,
    find(query) {
      const kind = openFor(checkQuery(query), query.argument);
      const rows = findRows(kind, query).slice(0, query.limit ?? CODE_LIMITS.defaultHits);
      return rows.map((row) => showRanked(kind, row));
    },
    resolve(name, text, argument) {
      const kind = checkKind(name);
      checkText(text);
      const opened = kindOf(kind);
      const isOne = argument !== undefined && opened.arguments.includes(argument);
      return resolveCode(opened, text, isOne ? argument : undefined);
    },
  };
}

function showRanked(kind: OpenKind, { row, km }: RankedRow): CodeHit {
  const hit = kind.show(row);
  return km === undefined ? hit : { ...hit, km: Math.round(km * 10) / 10 };
}

function remember<K, V>(known: Map<K, V>, key: K, make: () => V): V {
  const value = known.get(key) ?? make();
  known.set(key, value);
  return value;
}
