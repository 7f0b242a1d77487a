import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { chmod, open } from 'node:fs/promises';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { AUDIT_FILE_NAME } from '../../audit/record/audit-file.ts';
import { readTextFile, TextFileError } from '../../platform/config/secret-text.ts';
import type { Settings } from '../../platform/config/settings.ts';
import { DATABASE_FILE_NAME } from '../../platform/database/database.ts';
import { sqliteErrorCode } from '../../platform/database/sqlite.ts';
import { StartupError } from '../../platform/kernel/error.ts';
import { isObject, type JsonObject, own, ownText } from '../../platform/kernel/plain-json.ts';
import { KEY_FILE_NAME } from '../../platform/vault/key-file.ts';

/**
 * The files of a backup, in the order in which they are copied: a record in the copy of the audit log has its tenant in
 * the copy of the database, and a credential there its key.
 */
export const BACKUP_FILES = [AUDIT_FILE_NAME, DATABASE_FILE_NAME, KEY_FILE_NAME] as const;

export const FORMAT = 1;

const FILE = Type.Object({
  name: Type.Enum([...BACKUP_FILES]),
  bytes: Type.Integer(),
  sha256: Type.String(),
  /** Those that have run on a database. */
  migrations: Type.Optional(Type.Array(Type.String())),
});

/** `manifest.json` of a backup, which is written last. */
const MANIFEST = Type.Object({
  format: Type.Literal(FORMAT),
  createdAt: Type.String(),
  /** The version of the gateway that made the backup. */
  version: Type.String(),
  /** The commit of that version; null where it is not known. */
  commit: Type.Union([Type.String(), Type.Null()]),
  /** What the gateway stores its data in; a PostgreSQL database is not in the backup. */
  database: Type.Enum(['embedded', 'postgres']),
  files: Type.Array(FILE, { minItems: 1 }),
});

export type BackupFile = Readonly<Static<typeof FILE>>;
export type BackupManifest = Readonly<Static<typeof MANIFEST>>;

/** The file in DATA_DIR that has the time of the last backup. */
export const BACKUP_TRACE = 'last-backup';

const FILE_NAME = 'manifest.json';
const MAX_BYTES = 65_536;

/** What a gateway with these settings stores its data in. */
export const databaseKindOf = ({
  DATABASE_URL,
}: Pick<Settings, 'DATABASE_URL'>): BackupManifest['database'] =>
  DATABASE_URL ? 'postgres' : 'embedded';

/** The names of files, for a message. */
export const listFiles = (files: readonly BackupFile[]): string =>
  files.map(({ name }) => name).join(', ');

/** Writes the manifest of a backup to its directory. */
export const writeManifest = (dir: string, manifest: BackupManifest): void =>
  writeFileSync(join(dir, FILE_NAME), `${JSON.stringify(manifest, null, 2)}\n`, {
    mode: 0o600,
    flush: true,
  });

/** Reads the manifest of the backup in a directory. Throws StartupError. */
export function readManifest(dir: string): BackupManifest {
  const path = join(dir, FILE_NAME);
  const manifest = parse(path);
  if (own(manifest, 'format') !== FORMAT) {
    throw new StartupError(
      `${path} is not the manifest of a backup that this version can restore. Run the command with version ${ownText(manifest, 'version') ?? 'of the gateway that made it'}.`,
    );
  }
  if (Value.Check(MANIFEST, manifest) && !hasTwice(manifest)) return manifest;
  throw new StartupError(`${path} was changed or is damaged. Use another backup.`);
}

function parse(path: string): JsonObject {
  try {
    const value: unknown = JSON.parse(readTextFile(path, MAX_BYTES));
    return isObject(value) ? value : {};
  } catch (error) {
    const reason = error instanceof TextFileError ? error.message : 'is not JSON';
    throw new StartupError(
      `${path} ${reason}. Name the directory of a complete backup, as tool-gateway backup writes it.`,
      { cause: error },
    );
  }
}

const hasTwice = ({ files }: BackupManifest): boolean =>
  new Set(files.map(({ name }) => name)).size < files.length;

/** A failure of the file system or of SQLite, as an operator reads it. Any other error is returned unchanged. */
export function describeDiskError(error: unknown, what: string): unknown {
  if (!(error instanceof Error)) return error;
  const isSqlite = sqliteErrorCode(error) !== undefined;
  if (!isSqlite && !('syscall' in error && 'code' in error)) return error;
  const reason = isSqlite || !('code' in error) ? error.message : error.code;
  return new StartupError(
    `${what} (${reason}). Check that the directory can be written and that its disk has space.`,
    { cause: error },
  );
}

/** Makes a file private, waits until the disk has it, and returns its size and its digest. */
export async function sealFile(path: string): Promise<Pick<BackupFile, 'bytes' | 'sha256'>> {
  await chmod(path, 0o600);
  const file = await open(path, 'r+');
  try {
    await file.sync();
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const piece of file.createReadStream({ autoClose: false })) {
      hash.update(piece);
      bytes += piece.length;
    }
    return { bytes, sha256: hash.digest('hex') };
  } finally {
    await file.close();
  }
}
