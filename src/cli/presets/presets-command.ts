import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { readSettings, SETTINGS, type Settings } from '../../platform/config/settings.ts';
import { StartupError } from '../../platform/kernel/error.ts';
import { commandLine, IS_CHECKOUT } from '../../platform/kernel/log-lines.ts';
import { presetFromRegistration } from './preset-from-registration.ts';
import { presetStarter } from './preset-starter.ts';
import { checkPresets } from './presets-check.ts';

export function presetsCommand(): Command {
  const presets = new Command('presets').description('Check and create preset definition files.');
  presets
    .command('check')
    .description(
      'Check every definition file, its samples in the sandbox and the toolsets, and report what is wrong.',
    )
    .argument(
      '[dir]',
      'directory of definition files (default: PRESETS_DIR and PRESETS_EXTRA_DIRS)',
    )
    .option('--store', 'also check the toolsets for directories of connectors')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExample: tool-gateway presets check my-presets')
    .action(checkPresets);
  presets
    .command('new')
    .description('Create a commented definition file to start from, and print the next steps.')
    .argument('<id>', 'category and name, such as economy/fuel-prices', parsePresetId)
    .option('--url <address>', 'base address of the API', parseUpstreamUrl)
    .addHelpText(
      'after',
      '\nExample: tool-gateway presets new economy/fuel-prices --url https://api.example.com/v1',
    )
    .action(newPreset);
  presets
    .command('from-registration')
    .description('Print the description of a registered API as a definition file to edit.')
    .argument('<id>', 'id of the registration, as shown by registrations list')
    .addHelpText(
      'after',
      '\nExample: tool-gateway presets from-registration reg_01KA3Z2V8QK6D4T0N9XJ5W7M1C > my-presets/economy/things.yaml',
    )
    .action(async (id: string) => {
      process.stdout.write(await presetFromRegistration(id));
    });
  return presets;
}

/** `<category>/<name>`, as the layout of the presets directory requires. */
function parsePresetId(id: string): string {
  if (/^[a-z0-9-]+\/[a-z][a-z0-9-]*$/.test(id)) return id;
  throw new InvalidArgumentError(
    'Give category and name in lower-case letters, digits and hyphens, such as economy/fuel-prices.',
  );
}

/** An address without a trailing slash, because paths start with one. */
function parseUpstreamUrl(text: string): string {
  if (/^https?:\/\/[^\s?#{}]+$/.test(text) && URL.canParse(text)) return text.replace(/\/+$/, '');
  throw new InvalidArgumentError('Give an address such as https://api.example.com/v1.');
}

/**
 * Writes the file to the first directory of the operator's own, and prints the next steps. Never changes an existing file.
 * Throws StartupError.
 */
async function newPreset(
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

/** PRESETS_DIR, unless it belongs to the release: an upgrade would delete the file. */
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
  dir === SETTINGS.PRESETS_DIR.default ? 'sandbox/samples' : relative('', join(dir, 'samples'));

const nextSteps = (file: string, sample: string): string => `Wrote ${file}.

1. Edit it. The comments explain each part.
2. Save a response of the API as ${sample} (or .xml).
3. Check it: ${commandLine('presets check')}
`;
