import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { getCompileCacheDir } from 'node:module';
import { join, resolve } from 'node:path';
import { PACKAGE_ROOT } from '../../platform/kernel/shipped-files.ts';
import { VERSION } from '../../platform/kernel/version.ts';
import type { ToolDomain } from '../domain.ts';
import type { CompiledApi } from '../model.ts';
import { restoreTool } from '../tool-pieces.ts';
import { stampOf } from './preset-files.ts';

/** What compiling the text of a definition file gives. */
export interface CompiledText {
  readonly api: CompiledApi;
  readonly warnings: readonly { readonly line: number; readonly message: string }[];
  /** The line on which each tool is declared. */
  readonly lines: ReadonlyMap<string, number>;
}

/** Sets of presets that are kept: of a release, of the sandbox, and of what an author tries. */
export const MAX_SETS = 8;
/** Characters of JSON. A larger set is compiled at every start. */
export const MAX_LENGTH = 32 * 1024 * 1024;

/** `src`, or `dist/src` of a release. */
const SOURCE = resolve(import.meta.dirname, '../..');

/**
 * Compiled presets, kept beside the compiled code of the gateway (see `codeCacheDir`), so that a later start with the same
 * files neither parses nor checks them. A user who can write there can run code as the gateway anyway. It only saves time: what
 * cannot be read or written is as if it were not there.
 */
export function createPresetCache(domain: ToolDomain, directory = getCompileCacheDir()) {
  const dir = directory === undefined ? undefined : join(directory, 'presets');

  /** A set has one file, named by what it was compiled from and with. */
  const fileOf = async (digests: readonly string[]): Promise<string> => {
    const { computedDefaults, secretName } = domain;
    const compiler = [VERSION, await stampOfCompiler(), [...computedDefaults.keys()], secretName];
    const name = createHash('sha256')
      .update(JSON.stringify([compiler, digests]))
      .digest('hex');
    return join(dir ?? '', `${name}.json`);
  };

  return {
    /** The compiled texts of a set, by the digest of each; null if the set is not there. */
    async read(digests: readonly string[]): Promise<Map<string, CompiledText> | null> {
      if (dir === undefined) return null;
      try {
        const file = await fileOf(digests);
        const stored: StoredText[] = JSON.parse(await readFile(file, 'utf8'));
        const now = new Date();
        await utimes(file, now, now);
        return new Map(stored.map((text) => [text.digest, restoreText(text, domain)]));
      } catch {
        return null;
      }
    },
    async write(texts: ReadonlyMap<string, CompiledText>): Promise<void> {
      if (dir === undefined) return;
      const stored = [...texts].map(
        ([digest, { lines, ...text }]): StoredText => ({
          ...text,
          digest,
          lines: [...lines],
        }),
      );
      const json = JSON.stringify(stored);
      if (json.length > MAX_LENGTH) return;
      try {
        const file = await fileOf([...texts.keys()]);
        await mkdir(dir, { recursive: true, mode: 0o700 });
        const draft = `${file}.${randomUUID()}`;
        await writeFile(draft, json, { mode: 0o600 });
        await rename(draft, file);
        await removeOldest(dir);
      } catch {
        // The next start compiles again.
      }
    },
  };
}

interface StoredText extends Omit<CompiledText, 'lines'> {
  readonly digest: string;
  readonly lines: readonly (readonly [string, number])[];
}

const restoreText = ({ api, warnings, lines }: StoredText, domain: ToolDomain): CompiledText => ({
  api: { ...api, tools: api.tools.map((tool) => restoreTool(tool, domain)) },
  warnings,
  lines: new Map(lines),
});

/** A text that differs after a change of this program or its packages, which a checkout has without a new version. */
async function stampOfCompiler(): Promise<string> {
  const sources = await readdir(SOURCE, { recursive: true });
  const packages = join(PACKAGE_ROOT, 'node_modules/.package-lock.json');
  const paths = [packages, ...sources.sort().map((name) => join(SOURCE, name))];
  return (await Promise.all(paths.map(stampOf))).join('\n');
}

/** Removes the sets, and drafts of starts that were killed, that were not used for the longest time. */
async function removeOldest(dir: string): Promise<void> {
  const files = (await readdir(dir)).map((name) => join(dir, name));
  const used = await Promise.all(files.map(async (file) => ({ file, ...(await stat(file)) })));
  const old = used.sort((a, b) => b.mtimeMs - a.mtimeMs).slice(MAX_SETS);
  await Promise.all(old.map(({ file }) => rm(file, { force: true })));
}
