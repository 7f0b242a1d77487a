import { Command } from 'commander';
import { checkPresets } from './presets-check.ts';
import { newPreset, parsePresetId, parseUpstreamUrl } from './presets-new.ts';

export function presetsCommand(): Command {
  const presets = new Command('presets').description('Preset definition files.');
  presets
    .command('check')
    .description(
      'Check every definition file, and its samples in the sandbox, and say what is wrong with each.',
    )
    .argument('[dir]', 'directory of definition files; PRESETS_DIR when left out')
    .option('--json', 'print the result for programs')
    .action(checkPresets);
  presets
    .command('new')
    .description('Write a definition file to start from, with comments, and say what to do next.')
    .argument('<id>', 'category and name, as in economy/fuel-prices', parsePresetId)
    .option('--url <address>', 'base address of the API', parseUpstreamUrl)
    .action(newPreset);
  return presets;
}
