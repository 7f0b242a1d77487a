import { Command } from 'commander';
import { checkPresets } from './presets-check.ts';
import { newPreset, parsePresetId, parseUpstreamUrl } from './presets-new.ts';

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
