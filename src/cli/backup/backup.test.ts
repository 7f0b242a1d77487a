import { existsSync, statSync } from 'node:fs';
import { appendFile, chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeDataDir, removeDir } from '../../../test/support/temporary-dir.ts';
import { openAuditFile } from '../../audit/record/audit-file.ts';
import { lockDataDir } from '../../platform/database/data-dir.ts';
import { openDatabase } from '../../platform/database/database.ts';
import { openKeyFile } from '../../platform/vault/key-file.ts';
import { type WriteBackupOptions, writeBackup } from './backup-command.ts';
import type { BackupManifest } from './backup-manifest.ts';
import { restoreBackup } from './restore-command.ts';

let root: string;
let dataDir: string;
let saved: string;
let target: string;
beforeEach(async () => {
  root = await makeDataDir();
  [dataDir, saved, target] = [join(root, 'data'), join(root, 'saved'), join(root, 'restored')];
});
afterEach(() => removeDir(root));

/** The files of an embedded gateway. */
async function makeFiles(): Promise<void> {
  const database = openDatabase({ dataDir });
  await database.migrate();
  await database.close();
  await (await openAuditFile({ dataDir, fsync: false })).close();
  openKeyFile(dataDir);
}

const save = (options: Partial<WriteBackupOptions> = {}): Promise<BackupManifest> =>
  writeBackup({
    dataDir,
    to: saved,
    database: 'embedded',
    withKey: true,
    reserveBytes: 0,
    nowMs: Date.UTC(2026, 0, 1),
    ...options,
  });

const restore = (): Promise<BackupManifest> =>
  restoreBackup({ from: saved, dataDir: target, database: 'embedded' });

/** What the refused restore says. It must have left no file behind. */
async function refusal(): Promise<string> {
  const error: unknown = await restore().catch((reason: unknown) => reason);
  const left = existsSync(target) ? await readdir(target) : [];
  expect(left.filter((name) => !name.startsWith('gateway.lock'))).toEqual([]);
  return error instanceof Error ? error.message : 'The backup was restored.';
}

it('copies the databases and the key, each private and as it was, with its migrations', async () => {
  await makeFiles();
  await chmod(join(dataDir, 'encryption.key'), 0o644);
  saved = join(root, 'backups/monday');
  const manifest = await save();
  expect(JSON.parse(await readFile(join(saved, 'manifest.json'), 'utf8'))).toEqual(manifest);
  expect(manifest.files.map(({ name }) => name)).toEqual([
    'audit.db',
    'gateway.db',
    'encryption.key',
  ]);
  expect(manifest.files[1]?.migrations).toEqual(['0100-gateway']);
  expect((await readdir(root)).sort()).toEqual(['backups', 'data']);

  expect(await restore()).toEqual(manifest);
  expect((await readdir(target)).sort()).toEqual([
    'audit.db',
    'encryption.key',
    'gateway.db',
    'gateway.lock',
  ]);
  for (const { name } of manifest.files) {
    expect(await readFile(join(target, name))).toEqual(await readFile(join(saved, name)));
    for (const dir of [saved, target]) {
      expect(statSync(join(dir, name)).mode & 0o777).toBe(0o600);
      expect(statSync(dir).mode & 0o777).toBe(0o700);
    }
  }
});

it('copies what is committed and not yet in the file itself', async () => {
  await makeFiles();
  const file = new DatabaseSync(join(dataDir, 'gateway.db'));
  file.exec(
    "INSERT INTO tenants (id, slug, name, created_at_ms) VALUES ('ten_1', 'acme', 'Acme', 1)",
  );
  await save();
  file.close();
  const copy = new DatabaseSync(join(saved, 'gateway.db'));
  expect(copy.prepare('SELECT slug FROM tenants').all()).toMatchObject([{ slug: 'acme' }]);
  copy.close();
});

it('leaves out the files of answers, which are kept for an hour only', async () => {
  await makeFiles();
  const file = new DatabaseSync(join(dataDir, 'gateway.db'));
  file.exec("insert into results values ('a', 'ten_1', 'sky', 'sky', '[]', 1, 9, 9)");
  file.exec("insert into result_pieces values ('a', 0, x'00')");
  file.exec("insert into result_key values (1, 'k')");
  file.close();
  await save();
  const copy = new DatabaseSync(join(saved, 'gateway.db'), { readOnly: true });
  const countOf = (table: string) =>
    Number(copy.prepare(`select count(*) as n from ${table}`).get()?.['n']);
  expect(['results', 'result_pieces', 'result_key'].map(countOf)).toEqual([0, 0, 1]);
  copy.close();
});

it('leaves the key out on request', async () => {
  await makeFiles();
  await save({ withKey: false });
  expect((await readdir(saved)).sort()).toEqual(['audit.db', 'gateway.db', 'manifest.json']);
});

it('refuses a directory that exists, and one without space, and leaves nothing behind', async () => {
  await makeFiles();
  await expect(save({ reserveBytes: 1e18 })).rejects.toThrow(/too little space: .* MiB are free/);
  await expect(save({ to: join(dataDir, 'gateway.db', 'where') })).rejects.toThrow('(E');
  await save();
  await expect(save()).rejects.toThrow('already exists');
  expect((await readdir(root)).sort()).toEqual(['data', 'saved']);
});

it('removes what it has copied if a later file cannot be copied', async () => {
  await makeFiles();
  await writeFile(join(dataDir, 'gateway.db'), 'This is not a database.');
  await expect(save()).rejects.toThrow('(file is not a database)');
  expect(await readdir(root)).toEqual(['data']);
});

it.each([
  ['changed', (path: string) => writeFile(path, Buffer.alloc(statSync(path).size))],
  ['longer', (path: string) => appendFile(path, 'x')],
  ['missing', (path: string) => rm(path)],
])('refuses a backup with a file that is %s', async (_, change) => {
  await makeFiles();
  await save();
  await change(join(saved, 'gateway.db'));
  expect(await refusal()).toContain('gateway.db is not the file that the manifest names');
});

it.each<[string, (manifest: BackupManifest) => unknown, string]>([
  [
    'with a file elsewhere',
    (manifest) => ({ ...manifest, files: [{ ...manifest.files[0], name: '../other.db' }] }),
    'was changed or is damaged',
  ],
  [
    'with a file twice',
    (manifest) => ({ ...manifest, files: [...manifest.files, ...manifest.files] }),
    'was changed or is damaged',
  ],
  [
    'of a later format',
    (manifest) => ({ ...manifest, format: 2, version: '9.0.0' }),
    'version 9.0.0',
  ],
  ['that is not an object', () => [], 'is not the manifest of a backup'],
  ['that is too long', (manifest) => ({ ...manifest, more: 'x'.repeat(65_536) }), '65536 bytes'],
  [
    'of a gateway with PostgreSQL',
    (manifest) => ({ ...manifest, database: 'postgres' }),
    'pg_restore',
  ],
])('refuses a manifest %s', async (_, change, message) => {
  await makeFiles();
  const manifest = await save();
  await writeFile(join(saved, 'manifest.json'), JSON.stringify(change(manifest)));
  expect(await refusal()).toContain(message);
});

it('refuses a directory without a manifest, as an interrupted backup leaves it', async () => {
  await mkdir(saved);
  expect(await refusal()).toContain('cannot be read (ENOENT). Name the directory');
});

it('refuses a DATA_DIR that is in use or not empty, and changes nothing there', async () => {
  await makeFiles();
  await save();
  const lock = lockDataDir(target);
  expect(await refusal()).toContain('Another gateway is using');
  await lock.close();
  await rm(target, { recursive: true });
  await mkdir(target);
  await writeFile(join(target, 'something'), '');
  await expect(restore()).rejects.toThrow('is not empty');
  expect(await readdir(target)).toEqual(['something']);
});
