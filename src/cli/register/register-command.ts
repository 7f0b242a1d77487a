import { createInterface } from 'node:readline';
import { Command, InvalidArgumentError } from 'commander';
import { readSecretText } from '../../platform/config/secret-text.ts';
import { StartupError } from '../../platform/kernel/error.ts';
import {
  MAX_CREDENTIAL_LENGTH,
  REGISTRATION,
} from '../../registrations/request/registration-input.ts';
import type { OperationFilter } from '../../tools/compile/compile-policy.ts';
import type { ChosenExtension } from '../../tools/proposal.ts';
import { extensionsOf, propose } from '../openapi/propose.ts';
import { isAddress, readDocumentFile } from '../openapi/read-document.ts';
import { addMemberOptions, type MemberOption } from '../operations/member-options.ts';
import { addGatewayOptions, gatewayUrl, requireGatewayKey } from '../shared/gateway-address.ts';
import {
  formRequest,
  type Gateway,
  type GatewayRequest,
  type GatewayResponse,
  refusalText,
  requestGateway,
} from '../shared/gateway-request.ts';
import type { JsonOption } from '../shared/options.ts';
import { readSecretLine } from '../shared/read-secret-line.ts';
import {
  decodeJobStatus,
  describeEnding,
  describeFailure,
  followJob,
  formatResult,
  type JobStatus,
  showCommand,
} from './registration-job.ts';

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

type Options = Readonly<Record<string, MemberOption | false>>;

const FROM_SOURCE: Options = { spec_url: false, spec_raw: false, proposal_id: false };

/** How the members of a registration are given. */
const OPTIONS: Options = {
  ...FROM_SOURCE,
  visibility: false,
  confirm_origins: { flags: '--confirm-origin <origin>' },
  include: {
    flags: '--include <filter>',
    help: 'only operations that match; repeatable',
    parse: addFilter,
  },
  exclude: {
    flags: '--exclude <filter>',
    help: 'no operations that match; repeatable',
    parse: addFilter,
  },
};

/** How the gateway authenticates to the API. No credential is an option: it is read elsewhere. */
const AUTH_OPTIONS: Options = {
  type: {
    flags: '--auth <type>',
    help: 'how the gateway authenticates to the API',
    default: 'none',
  },
  in: { flags: '--auth-in <place>' },
  name: { flags: '--provider-key <name>' },
  token: false,
  password: false,
  client_secret: false,
};

/** The member that has the credential. A provider key is stored by the gateway. */
const CREDENTIALS: Readonly<Record<string, string>> = {
  bearer: 'token',
  basic: 'password',
  api_key: 'token',
  oauth2_client_credentials: 'client_secret',
};

export function registerCommand(): Command {
  const command = new Command('register')
    .description(
      'Register an API by its OpenAPI description on a running gateway, and print its tools.',
    )
    .argument('<source>', 'file or address of an OpenAPI or Swagger document, as YAML or JSON');
  const { properties } = REGISTRATION;
  const readMembers = addMemberOptions(command, properties, OPTIONS);
  const readAuth = addMemberOptions(command, properties.auth.properties, AUTH_OPTIONS);
  command
    .option('--propose', 'add what the gateway proposes with high or medium confidence')
    .option('--json', 'print the last status of the job as JSON');
  return addGatewayOptions(command)
    .addHelpText('after', NOTES)
    .action(async (source: string, options) => {
      const gateway = { url: gatewayUrl(options), key: requireGatewayKey(options) };
      const described = await readDescription(source, gateway, options);
      const auth = await withCredential(readAuth(options), command);
      await register(gateway, described, { ...readMembers(options), auth }, options);
    });
}

interface Members {
  readonly [member: string]: unknown;
  readonly auth: object | undefined;
}

async function register(
  gateway: Gateway,
  description: Description,
  members: Members,
  { json }: JsonOption,
): Promise<void> {
  const run = async (more?: object): Promise<JobStatus> => {
    const request = await registrationRequest(description, { ...members, ...more });
    return followJob(gateway, await submit(gateway, request));
  };
  const first = await run();
  const isConfirmed =
    first.status === 'confirmation_required' && (await confirmOrigins(first.origins));
  const job = isConfirmed ? await run({ confirm_origins: first.origins }) : first;
  if (json) process.stdout.write(`${JSON.stringify(job.body, null, 2)}\n`);
  if (['failed', 'confirmation_required'].includes(job.status)) {
    throw new StartupError(describeFailure(job));
  }
  if (!json) process.stdout.write(formatResult(job));
  process.stderr.write(describeEnding(job));
}

/** The description, or where the gateway finds it. */
type Description =
  | { readonly text: string }
  | { readonly spec_url: string }
  | { readonly proposal_id: string; readonly extensions: readonly ChosenExtension[] };

async function readDescription(
  source: string,
  gateway: Gateway,
  { propose: isProposed }: { readonly propose?: true },
): Promise<Description> {
  if (isProposed) {
    const proposal = await propose(gateway, source);
    return { proposal_id: proposal.id, extensions: extensionsOf(proposal) };
  }
  return isAddress(source) ? { spec_url: source } : { text: (await readDocumentFile(source)).text };
}

/** The member `auth` with its credential; undefined if no option is about it. */
async function withCredential(
  auth: Readonly<Record<string, unknown>>,
  command: Command,
): Promise<object | undefined> {
  const { type, username } = auth;
  const member = CREDENTIALS[String(type)];
  if (member === undefined) {
    return Object.values(auth).some((value) => value !== undefined && value !== 'none')
      ? auth
      : undefined;
  }
  const credential = await readCredential(credentialLabel(auth));
  if (!credential) {
    return command.error(
      `error: --auth ${type} needs a credential. Set TOOL_GATEWAY_CREDENTIAL, or write it to standard input.`,
    );
  }
  if (type !== 'basic' || username !== undefined) return { ...auth, [member]: credential };
  // Some APIs take a key as the user name, so that both may be secret. A user name has no colon (RFC 7617).
  const colon = credential.indexOf(':');
  if (colon < 0) {
    return command.error(
      'error: --auth basic needs --username, or a credential such as username:password.',
    );
  }
  return { type, username: credential.slice(0, colon), password: credential.slice(colon + 1) };
}

/** What the credential is called where it is asked for. */
function credentialLabel({ type, username }: Readonly<Record<string, unknown>>): string {
  if (type === 'oauth2_client_credentials') return 'Client secret';
  if (type !== 'basic') return 'Token';
  return username === undefined
    ? 'User name and password, as username:password'
    : `Password of ${username}`;
}

/** Largest line: a user name and a password, of four bytes a character, with a colon between them. */
export const MAX_CREDENTIAL_BYTES = (2 * MAX_CREDENTIAL_LENGTH + 1) * 4;

/**
 * Reads a credential from TOOL_GATEWAY_CREDENTIAL or its file, or else one line from standard input; a terminal is asked and does not
 * show it. Never from an argument, which other users of the machine can see. Undefined if neither has any.
 */
async function readCredential(label: string): Promise<string | undefined> {
  return (
    readSecretText(process.env, 'TOOL_GATEWAY_CREDENTIAL') ||
    readSecretLine({ label, maxBytes: MAX_CREDENTIAL_BYTES })
  );
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

const FILTER_MEMBERS = ['tag', 'method', 'path', 'operationId'] as const;

type Member = (typeof FILTER_MEMBERS)[number];

/** A comma separates members only if the name of one follows: paths and tags may contain commas. */
const SEPARATOR = new RegExp(`,(?=(?:${FILTER_MEMBERS.join('|')})=)`);

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
    const member = FILTER_MEMBERS.find((name) => name === part.slice(0, at));
    const value = part.slice(at + 1);
    if (member === undefined || value === '' || filter[member] !== undefined) throw invalid();
    filter[member] = value;
  }
  return filter;
}

const invalid = (): InvalidArgumentError =>
  new InvalidArgumentError(
    `Give one or more of ${FILTER_MEMBERS.join(', ')}, each once, such as method=get,path=/pets/*.`,
  );

const PATH = '/api/v1/register';

/** The request that submits a registration (docs/contract.md#registration). */
const registrationRequest = async (
  source: Description,
  members: Members,
): Promise<GatewayRequest> =>
  'text' in source
    ? formRequest(PATH, members, source.text)
    : { method: 'POST', path: PATH, body: JSON.stringify({ ...members, ...source }) };

/** Submits a registration; resolves with the id of its job. Throws StartupError. */
async function submit(gateway: Gateway, request: GatewayRequest): Promise<string> {
  const response = await requestGateway(gateway, request);
  if (response.status < 400) return decodeJobStatus(response.body).id;
  throw new StartupError(refusalText(gateway, response) + existing(gateway, response));
}

const RESOURCE = /\/api\/v1\/(?:registrations\/reg_\w{1,64}|register\/job_\w{1,64}\/status)$/;

/** How to see what a registration is in conflict with. */
function existing(gateway: Gateway, { status, headers }: GatewayResponse): string {
  const [path] = (status === 409 && RESOURCE.exec(String(headers.location))) || [];
  return path ? `\nShow it with: ${showCommand(gateway, path)}` : '';
}
