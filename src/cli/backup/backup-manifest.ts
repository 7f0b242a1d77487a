import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AUDIT_FILE_NAME } from '../../audit/record/audit-file.ts';
import { readTextFile, TextFileError } from '../../platform/config/secret-text.ts';
import type { Settings } from '../../platform/config/settings.ts';
import { DATABASE_FILE_NAME } from '../../platform/database/database.ts';
import { StartupError } from '../../platform/kernel/error.ts';
import { isObject, type JsonObject, own, ownText } from '../../platform/kernel/plain-json.ts';
import { KEY_FILE_NAME } from '../../platform/vault/key-file.ts';

/**
 * The files of a backup, in the order in which they are copied: a record in the copy of the audit log has its tenant in
 * the copy of the database, and a credential there its key.
 */
export const BACKUP_FILES = [AUDIT_FILE_NAME, DATABASE_FILE_NAME, KEY_FILE_NAME] as const;

type BackupFileName = (typeof BACKUP_FILES)[number];

/** A file of a backup. */
export interface BackupFile {
  readonly name: BackupFileName;
  readonly bytes: number;
  readonly sha256: string;
  /** Those that have run on a database. */
  readonly migrations?: readonly string[];
}

/** `manifest.json` of a backup, which is written last. */
export interface BackupManifest {
  readonly format: typeof FORMAT;
  readonly createdAt: string;
  /** The version of the gateway that made the backup. */
  readonly version: string;
  /** The commit of that version; null where it is not known. */
  readonly commit: string | null;
  /** What the gateway stores its data in; that of PostgreSQL is not in the backup. */
  readonly database: 'embedded' | 'postgres';
  readonly files: readonly BackupFile[];
}

/** The file in DATA_DIR whose time is that of the last backup. */
export const BACKUP_TRACE = 'last-backup';

export const FORMAT = 1;
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
  if (isManifest(manifest)) return manifest;
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

function isManifest(value: JsonObject): value is JsonObject & BackupManifest {
  const database = own(value, 'database');
  const files = own(value, 'files');
  return (
    (database === 'embedded' || database === 'postgres') &&
    typeof own(value, 'createdAt') === 'string' &&
    typeof own(value, 'version') === 'string' &&
    Array.isArray(files) &&
    files.every(isFile) &&
    files.length > 0 &&
    new Set(files.map(({ name }) => name)).size === files.length
  );
}

const isFile = (value: unknown): value is BackupFile =>
  isObject(value) &&
  BACKUP_FILES.some((name) => name === own(value, 'name')) &&
  Number.isSafeInteger(own(value, 'bytes')) &&
  typeof own(value, 'sha256') === 'string';
