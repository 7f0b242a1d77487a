import type { Command, OptionValues } from 'commander';
import type { TSchema } from 'typebox';
import { createTenantStore } from '../../access/tenants/tenant-store.ts';
import { systemClock as clock } from '../../platform/kernel/time.ts';
import { parseCount } from '../shared/options.ts';
import { type Columns, printList } from '../shared/output.ts';
import { addMemberOptions, type MemberOption, memberArgument } from './member-options.ts';
import {
  addManagementOptions,
  type Feature,
  type InputOf,
  isHere,
  type OperationIn,
  type OperationRunner,
  type OperationTable,
  type OutputOf,
  type Run,
  withOperations,
} from './operation-runner.ts';

/** The command of an operation. What it does not say follows from the declaration of the operation. */
interface CommandOf<Table extends OperationTable, O extends OperationIn<Table>> {
  /** Method and path. */
  readonly operation: O;
  /** By default, the second word of the operation's name. */
  readonly name?: string;
  /** By default, the summary of the operation. */
  readonly description?: string;
  /** Its arguments and options. */
  readonly example?: string;
  /** The members that are arguments; by default, the ids in the path. All others but the revision are options. */
  readonly positional?: readonly string[];
  /** How members are given as options; false for a member that has none. */
  readonly options?: Readonly<Record<string, MemberOption | false>>;
  /** Adds options that are not members. */
  readonly moreOptions?: (command: Command) => Command;
  /** What `--tenant` means. */
  readonly tenant?: string;
  /** Whether it makes something new, and so may create the database. */
  readonly createsDatabase?: true;
}

/** A command that prints what an operation returns: as `print` says, or as JSON. */
interface OperationCommand<Table extends OperationTable, O extends OperationIn<Table>, Result>
  extends CommandOf<Table, O> {
  /** By default, sends the input. */
  readonly run?: (call: OperationCall<Table, O>) => Promise<Result>;
  /** The line to print; `--json` prints the result instead. */
  readonly print?: (result: Result, input: InputOf<Table, O>) => string;
}

/** A command that prints rows as a table, or with `--json` one object a line. */
interface ListCommand<
  Table extends OperationTable,
  O extends OperationIn<Table>,
  All extends OperationIn<Table>,
  Row,
> extends CommandOf<Table, O> {
  /** The same of all tenants: on this machine unless a tenant is named, elsewhere with `--all-tenants`. */
  readonly allTenantsOperation?: All;
  /** On this machine, lists what each tenant has, unless one is named. */
  readonly defaultsToAllTenants?: true;
  readonly rows: (output: OutputOf<Table, O | All>) => readonly Row[];
  readonly columns: Columns<Row>;
  /** How many rows are printed unless `--limit` says so; by default, all. */
  readonly limit?: number;
}

/** What an operation is run with. */
export interface OperationCall<Table extends OperationTable, O extends OperationIn<Table>> {
  readonly runner: OperationRunner<Table>;
  /** What the arguments and options name. */
  readonly input: InputOf<Table, O>;
  readonly options: OptionValues;
  /** Runs the operation with the input, and with the revision that it may want. */
  readonly send: (more?: Partial<InputOf<Table, O>>) => Promise<OutputOf<Table, O>>;
}

/** Adds the command of an operation to the group of its feature. */
export function addOperation<
  Table extends OperationTable,
  O extends OperationIn<Table>,
  Result = OutputOf<Table, O>,
>(group: Command, feature: Feature<Table>, row: OperationCommand<Table, O, Result>): void {
  const { operation, run, print } = row;
  const hasOutput = 'properties' in (feature.declared[operation] as Table[O]).output;
  const command = addCommand(group, feature, row, async (call) => {
    const result = (await (run ? run(call) : call.send())) as Result;
    const isJson = !print || call.options['json'];
    const text = isJson ? JSON.stringify(result, null, 2) : print(result, call.input);
    if (text !== undefined) process.stdout.write(`${text}\n`);
  });
  if (print && hasOutput) command.option('--json', 'print what the operation returns as JSON');
}

/** Adds the command of an operation that lists something. */
export function addList<
  Table extends OperationTable,
  O extends OperationIn<Table>,
  Row,
  All extends OperationIn<Table> = O,
>(group: Command, feature: Feature<Table>, row: ListCommand<Table, O, All, Row>): void {
  const { operation, allTenantsOperation, defaultsToAllTenants, rows, columns, limit } = row;
  const command = addCommand(group, feature, row, async ({ runner, input, options }) => {
    const isAll = options['tenant'] === undefined && (isHere(options) || options['allTenants']);
    const run: Run = runner.run;
    const isPaged = 'cursor' in (feature.declared[operation] as Table[O]).input;
    const pagesOf = (tenant: unknown) =>
      readPages(
        (page) =>
          run((isAll && allTenantsOperation) || operation, {
            ...input,
            ...(isPaged && page),
            tenant,
          }),
        rows,
        options['limit'],
      );
    const slugs = isAll && defaultsToAllTenants ? await slugsOn(runner) : [options['tenant']];
    await printList(concat(slugs.map(pagesOf)), options, columns);
  });
  if (allTenantsOperation) {
    command.option('--all-tenants', 'with --url, list all tenants; needs the scope operator');
  }
  if (limit) {
    const help = `number of rows, up to ${MAX_LIMIT}`;
    command.option('--limit <number>', help, parseCount(MAX_LIMIT), limit);
  }
  command.option('--json', 'print one JSON object per line');
}

const MAX_LIMIT = 10_000;

type Act<Table extends OperationTable, O extends OperationIn<Table>> = (
  call: OperationCall<Table, O>,
) => Promise<void>;

/** Of members that no person gives: the command reads them itself. */
const READ_BY_COMMANDS = ['revision', 'cursor', 'limit'];

function addCommand<Table extends OperationTable, O extends OperationIn<Table>>(
  group: Command,
  feature: Feature<Table>,
  row: CommandOf<Table, O>,
  act: Act<Table, O>,
): Command {
  const { operation, options: how = {}, createsDatabase } = row;
  const { name, summary, input: schemas } = feature.declared[operation] as Table[O];
  const word = row.name ?? name.slice(name.indexOf(' ') + 1);
  const command = group.command(word).description(row.description ?? summary);
  const ids = idsOf(operation);
  const { positional = ids } = row;
  for (const each of positional) {
    command.addArgument(memberArgument(each, schemas[each], how[each] || {}));
  }
  const hasTenant = operation.includes('/:tenant');
  if (hasTenant) command.option('--tenant <slug>', row.tenant ?? TENANT);
  const others = [...ids, ...positional, ...READ_BY_COMMANDS];
  const members = Object.entries<TSchema>(schemas).filter(
    ([member]) => !others.includes(member) && how[member] !== false,
  );
  const readMembers = addMemberOptions(
    command,
    Object.fromEntries(members),
    how,
    operation.startsWith('PATCH '),
  );
  row.moreOptions?.(command);
  const isRead = operation.startsWith('GET ');
  const access = createsDatabase ? 'create' : isRead ? 'read' : 'change';
  return addManagementOptions(command)
    .addHelpText('after', () => {
      const words = ['tool-gateway', ...namesOf(group), word, row.example];
      return `\nExample: ${words.join(' ').trim()}`;
    })
    .action(async () => {
      const given = positional.map((each, at) => [each, command.processedArgs[at]]);
      const options = { ...command.opts(), ...Object.fromEntries(given) };
      if (
        hasTenant &&
        isHere(options) &&
        options['tenant'] === undefined &&
        needsTenant(feature, row)
      ) {
        command.error("error: required option '--tenant <slug>' not specified");
      }
      const input = {
        ...Object.fromEntries(given.filter(([each]) => each in schemas)),
        ...readMembers(options),
        ...(hasTenant && { tenant: options['tenant'] }),
      } as InputOf<Table, O>;
      // The filter `--key` of `audit list` is no API key.
      const gateway = 'key' in schemas ? { ...options, key: undefined } : options;
      await withOperations(feature, access, gateway, (runner) => {
        const run: Run = runner.run;
        const send = async (more?: object) => {
          const revision = 'revision' in schemas ? await readRevision(run, operation, input) : {};
          return run(operation, { ...input, ...revision, ...more });
        };
        return act({ runner, input, options, send });
      });
    });
}

const TENANT = 'the tenant; with --url, defaults to the tenant of the API key';

/** The words before a command of a group, without the program's own. */
const namesOf = (group: Command): string[] =>
  group.parent?.parent ? [...namesOf(group.parent), group.name()] : [group.name()];

/** The ids in the path. */
const idsOf = (operation: string): string[] =>
  [...operation.matchAll(/:(\w+)/g)]
    .map(([, name = '']) => name)
    .filter((name) => name !== 'tenant');

/** Whether nothing but `--tenant` says on this machine which tenant is meant. */
const needsTenant = (
  { tenantOf }: Pick<Feature<OperationTable>, 'tenantOf'>,
  row: {
    readonly operation: string;
    readonly allTenantsOperation?: string;
    readonly defaultsToAllTenants?: true;
  },
): boolean =>
  !row.allTenantsOperation &&
  !row.defaultsToAllTenants &&
  !(tenantOf && idsOf(row.operation).length > 0);

/** The revision of what is changed, from the operation that shows it. */
async function readRevision(run: Run, operation: string, input: object): Promise<object> {
  const shown = operation.replace(/^\w+( .*:\w+).*$/, 'GET$1');
  const named = ['tenant', ...idsOf(shown)].map((name) => [name, Reflect.get(input, name)]);
  const { revision } = await run(shown, Object.fromEntries(named));
  return { revision };
}

/** The tenants of this machine. */
async function slugsOn({ on }: OperationRunner<OperationTable>): Promise<readonly unknown[]> {
  if (!('database' in on)) return [undefined];
  const tenants = await createTenantStore({ db: on.database.db, clock }).list();
  return tenants.map(({ slug }) => slug);
}

/** Rows of a page. A response has at most 16 MiB, and a registration up to 2,000 tools. */
const PAGE = 50;

interface Page {
  readonly limit: number;
  readonly cursor?: string;
}

interface Next {
  readonly nextCursor?: string | null;
}

/** The rows of a list in pages, at most `limit`. The next page is read once they are consumed. */
export async function* readPages<Output, Row>(
  read: (page: Page) => Promise<Output & Next>,
  rowsOf: (output: Output) => readonly Row[],
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<Row, void, void> {
  let left = limit;
  let cursor: string | null | undefined;
  do {
    const page: Output & Next = await read({
      limit: Math.min(left, PAGE),
      ...(cursor && { cursor }),
    });
    const rows = rowsOf(page);
    yield* rows;
    left -= rows.length;
    cursor = page.nextCursor;
  } while (cursor && left > 0);
}

async function* concat<Row>(lists: readonly AsyncIterable<Row>[]): AsyncGenerator<Row, void, void> {
  for (const list of lists) yield* list;
}
