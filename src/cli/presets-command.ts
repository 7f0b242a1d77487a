import { resolve } from 'node:path';
import { Command } from 'commander';
import { prepareTool } from '../calls/prepared-tool.ts';
import { loadPresets } from '../catalog/load-presets.ts';
import { readSettings } from '../config/settings.ts';

export function presetsCommand(): Command {
  const presets = new Command('presets').description('Preset definition files.');
  presets
    .command('check')
    .description('Check every definition file and say what is wrong with each.')
    .argument('[dir]', 'directory of definition files; PRESETS_DIR when left out')
    .action(checkPresets);
  return presets;
}

async function checkPresets(dir: string | undefined): Promise<void> {
  const directory = dir ? resolve(dir) : readSettings(process.env).PRESETS_DIR;
  const { presets } = await loadPresets({ dir: directory });
  for (const { id, tools } of presets) {
    for (const tool of tools) prepareTool(tool);
    process.stdout.write(`${id}: ${tools.map(({ name }) => name).join(', ')}\n`);
  }
  const count = presets.reduce((sum, { tools }) => sum + tools.length, 0);
  process.stdout.write(`${presets.length} preset servers with ${count} tools: all good.\n`);
}
