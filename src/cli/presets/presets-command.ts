import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { readSettings, SETTINGS, type Settings } from '../../platform/config/settings.ts';
import { commandLine, IS_CHECKOUT } from '../../platform/kernel/command-line.ts';
import { StartupError } from '../../platform/kernel/startup-error.ts';
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
  dir === SETTINGS.PRESETS_DIR.default ? 'sandbox/samples' : relative('', join(dir, 'samples'));

const nextSteps = (file: string, sample: string): string => `Wrote ${file}.

1. Edit it. The comments explain each part.
2. Save a response of the API as ${sample} (or .xml).
3. Check it: ${commandLine('presets check')}
`;

interface StarterFacts {
  readonly name: string;
  readonly tool: string;
  /** Base address, without a trailing slash. */
  readonly url: string;
}

/** A definition file to start from, which compiles unchanged. docs/presets.md describes all extensions. */
const presetStarter = ({ name, tool, url }: StarterFacts): string => `openapi: 3.1.0
info:
  title: '${titleOf(name)}'
  version: 1.0.0
  # The provider, the official name of the data, its licence and its limits.
  description: >-
    What the API offers, by its provider. Licence: name it. Limit: state the calls per day.
# The documentation of the provider.
externalDocs:
  url: ${url}
servers:
  - url: ${url}

# Who publishes the data, under which terms, and the time to which they refer. Write unknown where nobody says it.
x-publisher: The provider
x-licence: unknown
x-as-of: fetch

# JSON pointers into a response (XML as JSON, with the root element as a member) to its rows, and to the total
# number of rows. If the response itself is the list, its rows are at ''.
x-items: /items
x-total: /total
# How to recognise success. With a result code instead: { code: /header/resultCode, values: ['00'], empty: ['03'] }
x-success: { present: /items }
# Seconds for which a good response may be served from the cache.
x-cache-ttl: 3600

# If the API requires a key, uncomment this and securitySchemes below, and set the variable where the gateway runs.
# security:
#   - apiKey: []
# For a service of data.go.kr. The gateway knows its key, result codes and XML refusals.
# x-public-data: true

paths:
  /search:
    get:
      operationId: ${tool}
      summary: Search ${titleOf(name).toLowerCase()}
      # A model chooses and calls the tool by this text alone.
      description: >-
        Say what a row is and what its units are, when to use this tool, when not, and which tool to use instead.
        Explain codes, and what happens when an argument is omitted.
      parameters:
        - name: query
          in: query
          required: true
          description: Words to search for.
          schema: { type: string, minLength: 1 }
          example: seoul
        - name: from
          in: query
          description: First day, YYYYMMDD. Defaults to thirty days ago.
          schema: { type: string, pattern: '^\\d{4}(0[1-9]|1[0-2])(0[1-9]|[12]\\d|3[01])$' }
          example: '20261101'
          # Computed when the tool is called.
          x-default: days-ago-30-kst
        - name: page
          in: query
          description: Page number, from 1.
          schema: { type: integer, minimum: 1, default: 1 }
          example: 1
        # Always sent; not an argument of the tool.
        - name: format
          in: query
          x-fixed: json
      responses:
        '200':
          description: One row per result.
          content:
            application/json:
              # The path to the rows, and every field of a row. The argument _fields selects from these.
              schema:
                type: object
                properties:
                  total: { type: integer, description: Total number of rows. }
                  items:
                    type: array
                    items:
                      type: object
                      properties:
                        id: { type: string, description: Identifier. }
                        name: { type: string, description: Name. }

# components:
#   securitySchemes:
#     apiKey:
#       type: apiKey
#       in: query
#       name: key
#       x-secret: ${name.replaceAll('-', '_').toUpperCase()}_API_KEY
#       description: Which key it is, and where to get it.
`;

const titleOf = (name: string): string => {
  const words = name.replaceAll('-', ' ');
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
};
