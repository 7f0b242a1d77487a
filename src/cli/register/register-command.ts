import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { Command, InvalidArgumentError } from 'commander';
import { readSecretText } from '../../platform/config/secret-text.ts';
import { StartupError } from '../../platform/kernel/error.ts';
import { Secret } from '../../platform/kernel/secret.ts';
import { systemClock } from '../../platform/kernel/time.ts';
import { ABOUT, MAX_CREDENTIAL_LENGTH } from '../../registrations/request/registration-input.ts';
import type { OperationFilter } from '../../tools/compile/compile-policy.ts';
import { isAddress } from '../openapi/fetch-document.ts';
import { extensionsOf, propose } from '../openapi/propose.ts';
import { readDocumentFile } from '../openapi/read-document-file.ts';
import { addGatewayOptions, gatewayUrl, requireGatewayKey } from '../shared/gateway-address.ts';
import {
  type Gateway,
  type GatewayRequest,
  type GatewayResponse,
  GatewayUnreachable,
  refusalText,
  requestGateway,
} from '../shared/gateway-request.ts';
import { readSecretLine } from '../shared/read-secret-line.ts';
import { addAuthOptions, authIssue, authMember, credentialLabel } from './auth-options.ts';
import { describeEnding, describeFailure, formatResult } from './describe-ending.ts';
import { followJob } from './follow-job.ts';
import { decodeJobStatus, type JobStatus, showCommand, statusPath } from './job-status.ts';
import type { RegisterOptions } from './register-options.ts';
import { type Description, registrationRequest } from './registration-request.ts';

const NOTES = `
A file is sent to the gateway; an address is fetched by the gateway.

The credential of the API is read from TOOL_GATEWAY_CREDENTIAL, or else from
standard input: a token, a client secret, or for basic a password. Without
--username it is username:password.

With --propose, <source> may be the number of a dataset of data.go.kr, and
--auth provider_key --provider-key PUBLIC_DATA_SERVICE_KEY sends the key that
your tenant has stored.

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
  for (const [member, schema] of Object.entries(ABOUT)) {
    command.option(`--${member} <text>`, String(Reflect.get(schema, 'description')));
  }
  addAuthOptions(command)
    .option('--base-url <address>', "address of the API, instead of the document's first server")
    .option(
      '--confirm-origin <origin>',
      'where the credential may be sent, besides the origin of <source>; repeatable',
      (origin: string, before: readonly string[] = []) => [...before, origin],
    )
    .option('--include <filter>', 'only operations that match; repeatable', addFilter)
    .option('--exclude <filter>', 'no operations that match; repeatable', addFilter)
    .option('--propose', 'add what the gateway proposes with high or medium confidence')
    .option('--dry-run', 'check the document and print the report; register nothing')
    .option('--json', 'print the last status of the job as JSON');
  return addGatewayOptions(command).addHelpText('after', NOTES).action(register);
}

async function register(source: string, options: RegisterOptions, command: Command): Promise<void> {
  const issue = authIssue(options);
  if (issue) command.error(`error: ${issue}`);
  const gateway = { url: gatewayUrl(options), key: requireGatewayKey(options) };
  const description = await readDescription(source, gateway, options);
  const auth = await readAuth(options, command);
  const run = async (confirmOrigin = options.confirmOrigin): Promise<JobStatus> => {
    const given = { ...options, ...(confirmOrigin && { confirmOrigin }) };
    const request = await registrationRequest(description, given, auth);
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

async function readDescription(
  source: string,
  gateway: Gateway,
  { propose: isProposed }: RegisterOptions,
): Promise<Description> {
  if (isProposed) {
    const proposal = await propose(gateway, source);
    return { proposal_id: proposal.id, extensions: extensionsOf(proposal) };
  }
  return isAddress(source) ? { url: source } : { text: (await readDocumentFile(source)).text };
}

async function readAuth(options: RegisterOptions, command: Command): Promise<object | undefined> {
  if (options.auth === undefined) return undefined;
  // Nothing secret: the gateway has the key.
  if (options.auth === 'provider_key') return { type: options.auth, name: options.providerKey };
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

/** Largest line: a user name and a password, of four bytes a character, with a colon between them. */
export const MAX_CREDENTIAL_BYTES = (2 * MAX_CREDENTIAL_LENGTH + 1) * 4;

/**
 * Reads a credential from TOOL_GATEWAY_CREDENTIAL or its file, or else one line from standard input; a terminal is asked and does not
 * show it. Never from an argument, which other users of the machine can see. Undefined if neither has any.
 */
async function readCredential(label: string): Promise<Secret | undefined> {
  const text =
    readSecretText(process.env, 'TOOL_GATEWAY_CREDENTIAL') ||
    (await readSecretLine({ label, maxBytes: MAX_CREDENTIAL_BYTES }));
  return text === undefined ? undefined : new Secret(text);
}

/** Asks a terminal whether the credential may be sent there. False without a terminal, and for anything but "y". */
async function confirmOrigins(origins: readonly string[]): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await new Promise<string>((resolve) => {
    lines
      .once('close', () => resolve(''))
      // The terminal does not translate Ctrl+C meanwhile.
      .once('SIGINT', () => {
        lines.close();
        process.kill(process.pid, 'SIGINT');
      })
      .question(`Send the credential to ${origins.join(' and ')}? [y/N] `, resolve);
  });
  lines.close();
  return /^y(?:es)?$/i.test(answer.trim());
}

const MEMBERS = ['tag', 'method', 'path', 'operationId'] as const;

type Member = (typeof MEMBERS)[number];

/** A comma separates members only if the name of one follows: paths and tags may contain commas. */
const SEPARATOR = new RegExp(`,(?=(?:${MEMBERS.join('|')})=)`);

/** Adds a filter such as `tag=pets` or `method=get,path=/pets/*` to those before it. Throws InvalidArgumentError. */
export function addFilter(
  text: string,
  filters: readonly OperationFilter[] = [],
): readonly OperationFilter[] {
  return [...filters, parseFilter(text)];
}

function parseFilter(text: string): OperationFilter {
  const filter: Partial<Record<Member, string>> = {};
  for (const part of text.split(SEPARATOR)) {
    const at = part.indexOf('=');
    const member = MEMBERS.find((name) => name === part.slice(0, at));
    const value = part.slice(at + 1);
    if (member === undefined || value === '' || filter[member] !== undefined) throw invalid();
    filter[member] = value;
  }
  return filter;
}

const invalid = (): InvalidArgumentError =>
  new InvalidArgumentError(
    `Give one or more of ${MEMBERS.join(', ')}, each once, such as method=get,path=/pets/*.`,
  );

/** Pauses before the request is sent again, after its connection failed. */
export const RETRY_PAUSES_MS = [250, 1_000];

/** Submits a registration; resolves with the id of its job. Throws StartupError. */
async function submitRegistration(gateway: Gateway, request: GatewayRequest): Promise<string> {
  const response = await sendRepeatedly(gateway, request);
  if (response.status < 400) return decodeJobStatus(response.body).id;
  throw new StartupError(refusalText(gateway, response) + existing(gateway, response));
}

/** Sends a request again after each pause until it has a response. */
async function sendRepeatedly(
  gateway: Gateway,
  request: GatewayRequest,
  [pauseMs, ...later] = RETRY_PAUSES_MS,
): Promise<GatewayResponse> {
  try {
    return await requestGateway(gateway, request);
  } catch (error) {
    if (!(error instanceof GatewayUnreachable)) throw error;
    if (pauseMs === undefined) throw isLarge(request) ? maybeTooLarge(error) : error;
    await pause(pauseMs);
    return sendRepeatedly(gateway, request, later);
  }
}

/** A gateway that refuses a large body closes the connection, so that its 413 can get lost. */
const isLarge = ({ body = '' }: GatewayRequest): boolean => body.length > 1024 * 1024;

const maybeTooLarge = ({ message }: GatewayUnreachable): StartupError =>
  new StartupError(`${message} The description may be too large.`);

const RESOURCE = /\/api\/v1\/(?:registrations\/reg_\w{1,64}|register\/job_\w{1,64}\/status)$/;

/** How to see what a registration is in conflict with. */
function existing(gateway: Gateway, { status, headers }: GatewayResponse): string {
  const [path] = (status === 409 && RESOURCE.exec(String(headers.location))) || [];
  return path ? `\nShow it with: ${showCommand(gateway, path)}` : '';
}

/** A response that takes longer counts as missing. */
const RESPONSE_MS = 10_000;

/** Follows a job and writes its progress to standard error. Throws StartupError with how to look later. */
async function watchJob(gateway: Gateway, jobId: string): Promise<JobStatus> {
  const say = (line: string): void => {
    process.stderr.write(`${line}\n`);
  };
  say(jobId);
  try {
    return await followJob(
      {
        clock: systemClock,
        pause,
        read: (id) => readStatus(gateway, id),
        onChanged: ({ status, progress }) => say(`${percent(progress)} ${status}`),
        onSilent: () => say(`The gateway at ${gateway.url} does not respond. Trying again.`),
      },
      jobId,
    );
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    const later = showCommand(gateway, statusPath(jobId));
    throw new StartupError(`${error.message} The job may still end. Show it with: ${later}`);
  }
}

const percent = (progress: number): string => `${Math.round(progress * 100)} %`.padStart(5);

/** Undefined while the gateway, or a proxy before it, cannot respond. */
async function readStatus(gateway: Gateway, jobId: string): Promise<JobStatus | undefined> {
  try {
    const signal = AbortSignal.timeout(RESPONSE_MS);
    const response = await requestGateway(gateway, {
      method: 'GET',
      path: statusPath(jobId),
      signal,
    });
    if (response.status < 400) return decodeJobStatus(response.body);
    if (response.status === 429 || response.status >= 500) return undefined;
    throw new StartupError(refusalText(gateway, response));
  } catch (error) {
    if (error instanceof GatewayUnreachable) return undefined;
    throw error;
  }
}
