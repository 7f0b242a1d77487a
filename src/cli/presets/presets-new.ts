import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { readSettings, SETTINGS, type Settings } from '../../platform/config/settings.ts';
import { commandLine, IS_CHECKOUT } from '../../platform/kernel/command-line.ts';
import { StartupError } from '../../platform/kernel/startup-error.ts';
import { presetStarter } from './presets-starter.ts';

/** `<category>/<name>`, as the layout of the presets directory requires. */
export function parsePresetId(id: string): string {
  if (/^[a-z0-9-]+\/[a-z][a-z0-9-]*$/.test(id)) return id;
  throw new InvalidArgumentError(
    'Give category and name in lower-case letters, digits and hyphens, such as economy/fuel-prices.',
  );
}

/** An address without a trailing slash, because paths start with one. */
export function parseUpstreamUrl(text: string): string {
  if (/^https?:\/\/[^\s?#{}]+$/.test(text) && URL.canParse(text)) return text.replace(/\/+$/, '');
  throw new InvalidArgumentError('Give an address such as https://api.example.com/v1.');
}

/**
 * Writes the file to the first directory of the operator's own, and prints the next steps. Never changes an existing file.
 * Throws StartupError.
 */
export async function newPreset(
  id: string,
  { url = 'https://api.example.com/v1' }: { url?: string },
): Promise<void> {
  const dir = directoryFor(readSettings(process.env));
  const filePath = join(dir, `${id}.yaml`);
  const [category = '', name = ''] = id.split('/');
  const tool = `${name.replaceAll('-', '_')}_search`;
  await mkdir(dirname(filePath), { recursive: true });
  await writeNew(filePath, presetStarter({ name, tool, url }));
  process.stdout.write(
    nextSteps(relative('', filePath), join(samplesOf(dir), `${category}/${tool}.json`)),
  );
}

/** PRESETS_DIR, unless it is that of the release: an upgrade would delete the file. */
function directoryFor({ PRESETS_DIR: dir, PRESETS_EXTRA_DIRS: [extra] }: Settings): string {
  if (dir !== SETTINGS.PRESETS_DIR.default) return dir;
  if (extra !== undefined) return extra;
  if (IS_CHECKOUT) return dir;
  throw new StartupError('Set PRESETS_EXTRA_DIRS to a directory for presets of your own.');
}

async function writeNew(filePath: string, text: string): Promise<void> {
  try {
    await writeFile(filePath, text, { flag: 'wx' });
  } catch (cause) {
    const exists = cause instanceof Error && 'code' in cause && cause.code === 'EEXIST';
    throw new StartupError(
      exists
        ? `${filePath} already exists. Choose another name, or edit the file.`
        : `${filePath} cannot be written.`,
      { cause },
    );
  }
}

/** The samples of the shipped presets are part of the sandbox. */
const samplesOf = (dir: string): string =>
  dir === SETTINGS.PRESETS_DIR.default ? 'src/sandbox/samples' : relative('', join(dir, 'samples'));

const nextSteps = (file: string, sample: string): string => `Wrote ${file}.

1. Edit it. The comments explain each part.
2. Save a response of the API as ${sample} (or .xml).
3. Check it: ${commandLine('presets check')}
`;
