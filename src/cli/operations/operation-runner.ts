import type { Command } from 'commander';
import { Type } from 'typebox';
import { OWN_TENANT } from '../../dialects/manage/authority.ts';
import { readSettings, type Settings } from '../../platform/config/settings.ts';
import type { Database } from '../../platform/database/database.ts';
import { createInputCheck } from '../../platform/input/input-check.ts';
import type { Operation } from '../../platform/input/operation.ts';
import { isLoopbackHost } from '../../platform/kernel/addresses.ts';
import type { Awaitable } from '../../platform/kernel/awaitable.ts';
import type { Closeable } from '../../platform/kernel/closing.ts';
import { invalidArguments, StartupError } from '../../platform/kernel/error.ts';
import { commandLine } from '../../platform/kernel/log-lines.ts';
import {
  type GatewayOptions,
  gatewayKey,
  gatewayUrl,
  givenUrl,
} from '../shared/gateway-address.ts';
import {
  type Gateway,
  type GatewayRequest,
  notAGateway,
  refusalText,
  requestGateway,
} from '../shared/gateway-request.ts';
import { type DatabaseAccess, requireTenant, withDatabase } from '../shared/with-database.ts';

/** Operations by method and path. */
export type OperationTable = Readonly<
  // biome-ignore lint/suspicious/noExplicitAny: operations of every context, input and output.
  Record<string, Operation<any, any, any>>
>;

/** The operations that a group of commands runs. */
export interface Feature<Table extends OperationTable> {
  /** Read as they are declared, and never run. */
  readonly declared: Table;
  /** On the database of this machine. */
  readonly open: (context: LocalContext) => Awaitable<Table>;
  /** The slug of the tenant that the input belongs to: on this machine, an id needs no `--tenant`. */
  readonly tenantOf?: (context: LocalContext, input: object) => Promise<string>;
}

/** What operations on this machine work with. */
export interface LocalContext {
  readonly database: Database;
  readonly settings: Settings;
  readonly access: DatabaseAccess;
  /** What stays open until the command ends. */
  readonly parts: Closeable[];
}

export type OperationIn<Table> = keyof Table & string;

/** Without `tenant`, the tenant of the id in the path is meant on this machine, and elsewhere the tenant of the API key. */
export type InputOf<Table extends OperationTable, O extends OperationIn<Table>> = Parameters<
  Table[O]['handle']
>[1] &
  (O extends `${string}/:tenant${string}` ? { readonly tenant?: string | undefined } : unknown);

export type OutputOf<Table extends OperationTable, O extends OperationIn<Table>> = Awaited<
  ReturnType<Table[O]['handle']>
>;

/** The declarations say what input and output are. */
// biome-ignore lint/suspicious/noExplicitAny: of any operation.
export type Run = (operation: string, input: Readonly<Record<string, unknown>>) => Promise<any>;

/** Runs operations for a command: on the database of this machine, or on a running gateway. */
export interface OperationRunner<Table extends OperationTable> {
  readonly run: <O extends OperationIn<Table>>(
    operation: O,
    input: InputOf<Table, O>,
  ) => Promise<OutputOf<Table, O>>;
  /** Where it runs them. */
  readonly on: LocalContext | Gateway;
  /** Runs the operations of another group at the same place. */
  readonly also: <Other extends OperationTable>(
    feature: Feature<Other>,
  ) => Promise<OperationRunner<Other>>;
}

export interface ManagementOptions extends GatewayOptions {
  readonly allowHttp?: true;
}

/** The options of a command that can run on another machine than the gateway. */
export function addManagementOptions(command: Command): Command {
  command.option(
    '--url <address>',
    'run it on the gateway at this address (default: TOOL_GATEWAY_URL)',
  );
  // `audit list` has another one.
  if (!command.options.some(({ long }) => long === '--key')) {
    command.option(
      '--key <key>',
      'API key with a scope. Prefer TOOL_GATEWAY_API_KEY: other users of this machine see options',
    );
  }
  return command.option(
    '--allow-http',
    'send the API key unencrypted, as within a private network',
  );
}

/** Whether a command is for this machine: neither it nor its environment names a gateway. */
export const isHere = (options: ManagementOptions): boolean => givenUrl(options) === undefined;

/** The one place that chooses where a command runs: on the gateway that is named, or else on this machine. */
export async function withOperations<Table extends OperationTable>(
  feature: Feature<Table>,
  access: DatabaseAccess,
  options: ManagementOptions,
  use: (runner: OperationRunner<Table>) => Promise<void>,
): Promise<void> {
  if (!isHere(options)) {
    const gateway = managedGateway(options);
    process.stderr.write(`Gateway: ${gateway.url}\n`);
    return use(runnerThere(feature, gateway));
  }
  await withDatabase(access, async (database) => {
    const parts: Closeable[] = [];
    try {
      const context = { database, settings: readSettings(process.env), access, parts };
      await use(await runnerHere(feature, context));
    } finally {
      for (const part of parts) await part.close();
    }
  });
}

/** Anyone who can run commands here counts as an operator. */
const ACTOR = { id: 'cli', isOperator: true };

async function runnerHere<Table extends OperationTable>(
  feature: Feature<Table>,
  context: LocalContext,
): Promise<OperationRunner<Table>> {
  const operations = await feature.open(context);
  const run: Run = async (name, { tenant: given, ...members }) => {
    const input = withoutAbsent(members);
    const operation = operations[name] as OperationTable[string];
    const schema = Type.Object(operation.input, { additionalProperties: false });
    const issues = createInputCheck(schema)(input);
    if (issues.length > 0) throw invalidArguments('The input is not valid', issues);
    const slug = name.includes('/:tenant') && (given ?? (await feature.tenantOf?.(context, input)));
    const tenant = slug ? await requireTenant(context.database.db, String(slug)) : undefined;
    return operation.handle({ actor: ACTOR, tenant }, input);
  };
  return { run, on: context, also: (other) => runnerHere(other, context) };
}

const withoutAbsent = (members: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

/** A page has at most 100 API keys, each with a list of 200 tools. */
export const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
const TIMEOUT_MS = 30_000;

/** Over the REST API of a running gateway (docs/contract.md#management). */
function runnerThere<Table extends OperationTable>(
  { declared }: Feature<Table>,
  gateway: Gateway,
): OperationRunner<Table> {
  const run: Run = async (operation, input) => {
    const response = await requestGateway(gateway, {
      ...requestFor(operation, declared[operation], input),
      maxBytes: MAX_OUTPUT_BYTES,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (response.status >= 300) throw new StartupError(refusalText(gateway, response));
    const members: readonly string[] = declared[operation]?.output.required ?? [];
    if (members.some((member) => !(member in response.body))) throw notAGateway(gateway.url);
    return response.body;
  };
  return { run, on: gateway, also: async (other) => runnerThere(other, gateway) };
}

const OWN_TENANT_ONLY =
  'A gateway elsewhere does this for the tenant of the API key only. Leave --tenant out, and use a key of that tenant.';

/** An operation with its input as a request: what is not in the path is in the query, or in the body. */
function requestFor(
  operation: string,
  declared: OperationTable[string] | undefined,
  input: Readonly<Record<string, unknown>>,
): GatewayRequest {
  const [method, managed = ''] = operation.split(' ') as [GatewayRequest['method'], string];
  const own = declared?.access === 'key' ? declared.address?.path : undefined;
  if (own !== undefined && input['tenant'] !== undefined) throw new StartupError(OWN_TENANT_ONLY);
  const pattern = own ?? `/api/v1/admin${managed}`;
  const members = new Map(Object.entries(withoutAbsent(input)));
  const path = pattern.replace(/:(\w+)/g, (_match, name: string) => {
    const value = members.get(name) ?? OWN_TENANT;
    members.delete(name);
    return encodeURIComponent(String(value));
  });
  if (method !== 'GET' && method !== 'DELETE') {
    return { method, path, body: JSON.stringify(Object.fromEntries(members)) };
  }
  const query = new URLSearchParams([...members].map(([name, value]) => [name, String(value)]));
  return { method, path: query.size > 0 ? `${path}?${query}` : path };
}

/** Throws StartupError without a key, and for an address to which it would travel unencrypted. */
function managedGateway(options: ManagementOptions): Gateway {
  const url = gatewayUrl(options);
  const { protocol, host } = new URL(url);
  if (protocol === 'http:' && !isLoopbackHost(host) && !options.allowHttp) {
    throw new StartupError(
      `With ${url}, the API key would travel unencrypted. Give an address that starts with https://, or, within a private network, add --allow-http.`,
    );
  }
  const key = gatewayKey(options);
  if (key) return { url, key };
  throw new StartupError(
    `Set TOOL_GATEWAY_API_KEY to an API key with a scope. To create one on the machine of the gateway, run: ${commandLine('keys create --tenant <slug> --scope admin')}`,
  );
}
