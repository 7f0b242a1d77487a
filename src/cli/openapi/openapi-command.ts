import { Command } from 'commander';
import { checkSource } from './openapi-check.ts';

export function openapiCommand(): Command {
  const openapi = new Command('openapi').description('Check OpenAPI descriptions.');
  openapi
    .command('check')
    .description(
      'Compile a description as if it were registered, and report what becomes of each operation.',
    )
    .argument('<source>', 'file or address of an OpenAPI or Swagger document, as YAML or JSON')
    .option('--base-url <address>', "address of the API, instead of the document's first server")
    .option('--json', 'print the report as JSON')
    .addHelpText('after', '\nExample: tool-gateway openapi check pets.yaml')
    .action(checkSource);
  return openapi;
}
