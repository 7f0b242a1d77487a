import { hash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import { replacePrivateFile } from '../../platform/database/data-dir.ts';
import { runQuery } from '../../platform/database/database-error.ts';
import { toInteger } from '../../platform/database/sqlite-value.ts';
import type { Tables } from '../../platform/database/tables.ts';
import { newOriginId } from '../../platform/kernel/ids.ts';
import type { AuditFile } from '../record/audit-file.ts';
import type { ChainStart, LinkName } from './chain-link.ts';
import { readOrigins } from './chain-reader.ts';

/**
 * What a gateway remembers of its chain in DATA_DIR, where someone who can only write to the database cannot change it.
 * The file is written after the links, at most once per second, so it may be behind them: the key proves which links beyond
 * it are the gateway's own. A backup does not contain it.
 */
export interface ChainMemory {
  readonly origin: string;
  /** Known to this gateway only. */
  readonly key: string;
  /** The last link that was remembered; -1 until the start of the chain is in the log. */
  readonly seq: number;
  readonly hash: string;
  /** The content of the first link, which can be written again exactly as it was. */
  readonly start: { readonly madeAtMs: number; readonly detail: string };
}

const CHAIN_FILE_NAME = 'audit.chain';

/** Undefined if DATA_DIR remembers no chain. */
export function readMemory(dataDir: string): ChainMemory | undefined {
  try {
    const memory: unknown = JSON.parse(readFileSync(join(dataDir, CHAIN_FILE_NAME), 'utf8'));
    return isMemory(memory) ? memory : undefined;
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (isMissing || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const isMemory = (value: unknown): value is ChainMemory =>
  typeof value === 'object' &&
  value !== null &&
  ['origin', 'key', 'seq', 'hash', 'start'].every((name) => name in value);

export const writeMemory = (dataDir: string, memory: ChainMemory, fsync: boolean): void =>
  replacePrivateFile(join(dataDir, CHAIN_FILE_NAME), JSON.stringify(memory), fsync);

export const newMemory = (nowMs: number, detail: string): ChainMemory => ({
  origin: newOriginId(nowMs),
  key: randomBytes(32).toString('base64url'),
  seq: -1,
  hash: '',
  start: { madeAtMs: nowMs, detail },
});

/** Proves that the gateway wrote the link. Both texts have a fixed length, so a plain hash is a sound MAC. */
export const macOf = ({ key }: ChainMemory, linkHash: string): string =>
  hash('sha256', `${key}\0${linkHash}`, 'base64url');

/**
 * How the chain starts of a gateway that finds links in `audit.db` and remembers none: after a restored backup, and after
 * an upgrade. Undefined for any other gateway.
 */
export async function findStart(
  { writer, dataDir }: Pick<AuditFile, 'writer' | 'dataDir'>,
  db: Kysely<Tables>,
): Promise<ChainStart | undefined> {
  if (readMemory(dataDir)) return undefined;
  const row = writer.prepare('SELECT * FROM audit_links ORDER BY rowid DESC LIMIT 1').get();
  if (!row) return undefined;
  const local = {
    origin: String(row['origin']),
    seq: toInteger(row['seq']),
    hash: String(row['hash']),
  };
  // PostgreSQL may have a newer backup than DATA_DIR.
  const stored = await readLastLink(db, local.origin);
  const follows = stored && stored.seq > local.seq ? stored : local;
  const origins = await readOrigins(db);
  return { follows, restored: origins.filter((origin) => origin !== follows.origin) };
}

const readLastLink = (db: Kysely<Tables>, origin: string): Promise<LinkName | undefined> =>
  runQuery(() =>
    db
      .selectFrom('audit_links')
      .select(['origin', 'seq', 'hash'])
      .where('origin', '=', origin)
      .orderBy('seq', 'desc')
      .limit(1)
      .executeTakeFirst(),
  );
