import { Command, Option } from 'commander';
import { StartupError } from '../../platform/kernel/startup-error.ts';
import { VISIBILITIES } from '../../registrations/request/decode-registration.ts';
import { isAddress } from '../openapi/fetch-document.ts';
import { readDocumentFile } from '../openapi/read-document-file.ts';
import { addGatewayOptions, gatewayUrl, requireGatewayKey } from '../shared/gateway-address.ts';
import { addAuthOptions, authIssue, authMember, credentialLabel } from './auth-options.ts';
import { confirmOrigins } from './confirm-origins.ts';
import { describeEnding, describeFailure, formatResult } from './describe-ending.ts';
import type { JobStatus } from './job-status.ts';
import { addFilter } from './parse-filter.ts';
import { readCredential } from './read-credential.ts';
import type { RegisterOptions } from './register-options.ts';
import { registrationRequest } from './registration-request.ts';
import { submitRegistration } from './submit-registration.ts';
import { watchJob } from './watch-job.ts';

const NOTES = `
A file is sent to the gateway; an address is fetched by the gateway.

The credential of the API is read from TOOL_GATEWAY_CREDENTIAL, or else from
standard input: a token, a client secret, or for basic a password. Without
--username it is username:password.

A filter has one or more of tag, method, path and operationId.

Examples:
  tool-gateway register pets.yaml --name Pets --dry-run
  tool-gateway register https://pets.example.com/openapi.json --name Pets \\
    --include tag=pets --exclude 'method=delete,path=/pets/*'
  tool-gateway register pets.yaml --name Pets --auth bearer < token.txt
  tool-gateway register pets.yaml --name Pets --auth api_key \\
    --auth-in header --key-name x-pets-key`;

export function registerCommand(): Command {
  const command = new Command('register')
    .description(
      'Register an API by its OpenAPI description on a running gateway, and print its tools.',
    )
    .argument('<source>', 'file or address of an OpenAPI or Swagger document, as YAML or JSON')
    .requiredOption('--name <text>', 'name of the API');
  addAuthOptions(command)
    .addOption(
      new Option('--visibility <who>', 'public needs approval (default: private)').choices(
        VISIBILITIES,
      ),
    )
    .option('--category <name>', 'category of the tools')
    .option('--description <text>', 'what the API is for')
    .option('--base-url <address>', "address of the API, instead of the document's first server")
    .option(
      '--confirm-origin <origin>',
      'where the credential may be sent, besides the origin of <source>; repeatable',
      (origin: string, before: readonly string[] = []) => [...before, origin],
    )
    .option('--include <filter>', 'only operations that match; repeatable', addFilter)
    .option('--exclude <filter>', 'no operations that match; repeatable', addFilter)
    .option('--dry-run', 'check the document and print the report; register nothing')
    .option('--json', 'print the last status of the job as JSON');
  return addGatewayOptions(command).addHelpText('after', NOTES).action(register);
}

async function register(source: string, options: RegisterOptions, command: Command): Promise<void> {
  const issue = authIssue(options);
  if (issue) command.error(`error: ${issue}`);
  const gateway = { url: gatewayUrl(options), key: requireGatewayKey(options) };
  const description = isAddress(source)
    ? { url: source }
    : { text: (await readDocumentFile(source)).text };
  const auth = await readAuth(options, command);
  const run = async (confirmOrigin = options.confirmOrigin): Promise<JobStatus> => {
    const given = { ...options, ...(confirmOrigin && { confirmOrigin }) };
    const request = registrationRequest(description, given, auth);
    return watchJob(gateway, await submitRegistration(gateway, request));
  };
  const first = await run();
  const isConfirmed =
    first.status === 'confirmation_required' && (await confirmOrigins(first.origins));
  const job = isConfirmed ? await run(first.origins) : first;
  if (options.json) process.stdout.write(`${JSON.stringify(job.body, null, 2)}\n`);
  if (['failed', 'confirmation_required'].includes(job.status))
    throw new StartupError(describeFailure(job));
  if (!options.json) process.stdout.write(formatResult(job));
  process.stderr.write(describeEnding(job));
}

async function readAuth(options: RegisterOptions, command: Command): Promise<object | undefined> {
  if (options.auth === undefined) return undefined;
  const credential = await readCredential(credentialLabel(options));
  if (!credential) {
    command.error(
      `error: --auth ${options.auth} needs a credential. Set TOOL_GATEWAY_CREDENTIAL, or write it to standard input.`,
    );
  }
  const auth = authMember(options, credential);
  return (
    auth ??
    command.error(
      'error: --auth basic needs --username, or a credential such as username:password.',
    )
  );
}
