import { Command } from 'commander';
import { newApiKeyText } from '../../platform/kernel/ids.ts';
import { parseDuration } from '../shared/duration.ts';
import { allowTools, changeKey, createKey, revokeKey, rotateKey } from './change-keys.ts';
import { addKeyOptions, addNames, addRemovingOptions } from './key-options.ts';
import { listKeys } from './list-keys.ts';

const ID = ['<id>', 'id of the key, as shown by keys list'] as const;
const AS_JSON = ['--json', 'print the key with its properties as JSON'] as const;
const EXAMPLE_ID = 'key_01KA3Z2V8QK6D4T0N9XJ5W7M1C';

export function keysCommand(): Command {
  const keys = new Command('keys').description('Manage the API keys of callers.');
  addNewKeyCommands(keys);
  addListCommand(keys);
  addChangeCommands(keys);
  return keys;
}

function addNewKeyCommands(keys: Command): void {
  addKeyOptions(
    keys
      .command('create')
      .description(
        'Create a key and print only the key on standard output. It is never shown again.',
      )
      .requiredOption('--tenant <slug>', 'owner of the key; created if it does not exist')
      .option('--name <text>', 'what the key is for', 'unnamed'),
  )
    .option(...AS_JSON)
    .addHelpText(
      'after',
      `\nExample: tool-gateway keys create --tenant acme --name "night report" --expires 90d --tools 'kma_*,frankfurter_rates'`,
    )
    .action(createKey);
  keys
    .command('generate')
    .description(
      'Print a new key without storing it. A gateway that has it in BOOTSTRAP_API_KEY accepts it.',
    )
    .addHelpText('after', '\nExample: tool-gateway keys generate > bootstrap-api-key')
    .action(() => void process.stdout.write(`${newApiKeyText()}\n`));
  keys
    .command('rotate')
    .description('Replace a key and print only the new key. The old one ends after an overlap.')
    .argument(...ID)
    .option(
      '--overlap <duration>',
      'how long the old key still works: 0 to 7d',
      parseOverlap,
      864e5,
    )
    .option(...AS_JSON)
    .addHelpText('after', `\nExample: tool-gateway keys rotate ${EXAMPLE_ID} --overlap 2d`)
    .action(rotateKey);
}

function addListCommand(keys: Command): void {
  keys
    .command('list')
    .description('List keys, newest first. Only the prefix of each key is shown.')
    .option('--tenant <slug>', 'only keys of this tenant')
    .option('--json', 'print one JSON object per line')
    .addHelpText('after', '\nExample: tool-gateway keys list --tenant acme')
    .action(listKeys);
}

function addChangeCommands(keys: Command): void {
  keys
    .command('revoke')
    .description('Revoke a key. Running gateways refuse it within a second.')
    .argument(...ID)
    .addHelpText('after', `\nExample: tool-gateway keys revoke ${EXAMPLE_ID}`)
    .action(revokeKey);
  addRemovingOptions(
    addKeyOptions(
      keys
        .command('change')
        .description('Change a key. Running gateways follow within a second.')
        .argument(...ID)
        .option('--name <text>', 'what the key is for'),
    ),
  )
    .addHelpText(
      'after',
      `\nExample: tool-gateway keys change ${EXAMPLE_ID} --daily-limit 5000 --no-expires`,
    )
    .action(changeKey);
  keys
    .command('allow')
    .description('Change which tools a key may use. Running gateways follow within a second.')
    .argument(...ID)
    .option(
      '--tools <names>',
      'comma-separated names, patterns and categories of tools; repeatable',
      addNames,
    )
    .option('--all', 'all tools of the tenant')
    .addHelpText('after', `\nExample: tool-gateway keys allow ${EXAMPLE_ID} --tools 'kma_*'`)
    .action(allowTools);
}

const parseOverlap = (text: string): number => (text === '0' ? 0 : parseDuration(text));
