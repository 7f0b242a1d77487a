import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { readSettings } from '../../platform/config/settings.ts';
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

/** Writes the file to PRESETS_DIR and prints the next steps. Never changes an existing file. */
export async function newPreset(
  id: string,
  { url = 'https://api.example.com/v1' }: { url?: string },
): Promise<void> {
  const filePath = join(readSettings(process.env).PRESETS_DIR, `${id}.yaml`);
  const [category = '', name = ''] = id.split('/');
  const tool = `${name.replaceAll('-', '_')}_search`;
  await mkdir(dirname(filePath), { recursive: true });
  await writeNew(filePath, presetStarter({ name, tool, url }));
  process.stdout.write(nextSteps(relative('', filePath), `${category}/${tool}`));
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

const nextSteps = (file: string, sample: string): string => `Wrote ${file}.

1. Edit it. The comments explain each part.
2. Save a response of the API as src/sandbox/samples/${sample}.json (or .xml).
3. Check it: npm run -s cli -- presets check
`;
