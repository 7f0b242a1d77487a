import { Command } from 'commander';
import { StartupError } from '../../platform/kernel/error.ts';
import { PUBLIC_DATA_TOOLS } from '../../public-data/tool-domain.ts';
import { compileDocument } from '../../tools/compile/compile-document.ts';
import { DefinitionError } from '../../tools/document/definition-error.ts';
import { parseDocument } from '../../tools/document/parse-document.ts';
import { type ApiReport, createReport } from '../../tools/report/create-report.ts';
import {
  addGatewayOptions,
  type GatewayOptions,
  gatewayUrl,
  requireGatewayKey,
} from '../shared/gateway-address.ts';
import { formatReport } from './format-report.ts';
import { formatProposal, propose } from './propose.ts';
import { type DocumentText, fetchDocument, isAddress, readDocumentFile } from './read-document.ts';

export function openapiCommand(): Command {
  const openapi = new Command('openapi').description(
    'Check OpenAPI descriptions, and propose what to add to them.',
  );
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
  const proposing = openapi
    .command('propose')
    .description('Ask a running gateway what to add to a description of a data portal, and why.')
    .argument(
      '<source>',
      'number of a dataset of data.go.kr, address of its page, address or file of a description',
    )
    .option('--json', 'print the proposal as JSON');
  addGatewayOptions(proposing)
    .addHelpText('after', '\nExample: tool-gateway openapi propose 15085288')
    .action(printProposal);
  return openapi;
}

async function printProposal(
  source: string,
  options: GatewayOptions & Pick<CheckOptions, 'json'>,
): Promise<void> {
  const gateway = { url: gatewayUrl(options), key: requireGatewayKey(options) };
  const proposal = await propose(gateway, source);
  process.stdout.write(
    options.json ? `${JSON.stringify(proposal, null, 2)}\n` : formatProposal(proposal, source),
  );
}

interface CheckOptions {
  readonly baseUrl?: string;
  readonly json?: true;
}

/** Prints the report on a file or an address. Throws StartupError if no operation can become a tool. */
async function checkSource(source: string, options: CheckOptions): Promise<void> {
  const read = isAddress(source) ? fetchDocument : readDocumentFile;
  await printReport(await read(source), options);
}

async function printReport(document: DocumentText, options: CheckOptions): Promise<void> {
  const report = await checkDocument(document, options);
  process.stdout.write(
    options.json ? `${JSON.stringify(report, null, 2)}\n` : formatReport(report),
  );
  if (report.tools === 0) {
    throw new StartupError(`${document.name}: no operation can become a tool.`);
  }
}

async function checkDocument(
  { name, text, url }: DocumentText,
  { baseUrl }: CheckOptions,
): Promise<ApiReport> {
  try {
    const compiled = compileDocument(await parseDocument(text, name), {
      domain: PUBLIC_DATA_TOOLS,
      policy: { kind: 'registered', ...(baseUrl === undefined ? {} : { baseUrl }) },
      ...(url === undefined ? {} : { documentUrl: url }),
    });
    return createReport(compiled);
  } catch (error) {
    if (error instanceof DefinitionError) throw new StartupError(error.message);
    throw error;
  }
}
