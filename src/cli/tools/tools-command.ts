import { Command } from 'commander';
import { addGatewayOptions } from '../shared/gateway-address.ts';
import { parseCount } from '../shared/parse-count.ts';
import { listTools, searchTools } from './list-tools.ts';
import { showTool } from './show-tool.ts';

const DEFAULT_MATCHES = 10;
const MAX_MATCHES = 500;

/** All read a running gateway if it is given, and otherwise the presets on this machine. */
export function toolsCommand(): Command {
  const tools = new Command('tools').description(
    'List, search and show tools: with --key, those of a running gateway; otherwise the presets.',
  );
  addGatewayOptions(
    tools
      .command('list')
      .description('List the tools, sorted by id.')
      .option('--category <name>', 'only tools of this category')
      .option('--json', 'print one JSON object per line'),
  )
    .addHelpText('after', '\nExample: tool-gateway tools list --category weather')
    .action(listTools);
  addGatewayOptions(
    tools
      .command('search')
      .description('Find tools by words in English or Korean, the best match first.')
      .argument('<words...>', 'words of names, descriptions and arguments')
      .option('--category <name>', 'only tools of this category')
      .option(
        '--limit <number>',
        `number of tools, up to ${MAX_MATCHES}`,
        parseCount(MAX_MATCHES),
        DEFAULT_MATCHES,
      )
      .option('--json', 'print one JSON object per line'),
  )
    .addHelpText('after', '\nExample: tool-gateway tools search 미세먼지 in Busan')
    .action(searchTools);
  addGatewayOptions(
    tools
      .command('show')
      .description('Show what a tool does, its arguments, and how to call it.')
      .argument('<tool>', 'name or id of the tool')
      .option('--json', 'print the tool as JSON'),
  )
    .addHelpText('after', '\nExample: tool-gateway tools show frankfurter_rates')
    .action(showTool);
  return tools;
}
