import { type Command, Option, type OptionValues } from 'commander';
import type { TProperties, TSchema } from 'typebox';
import { isRequired } from '../../platform/input/schema.ts';
import type { JsonOption } from '../shared/options.ts';
import { parseCount } from '../shared/options.ts';
import type { DatabaseAccess } from '../shared/with-database.ts';
import type {
  Feature,
  InputOf,
  OperationRunner,
  OperationTable,
  OutputOf,
  PlaceIn,
  Run,
} from './operation-runner.ts';
import { addManagementOptions, isHere, withOperations } from './with-operations.ts';

/** The command of an operation. What is absent follows from the declaration of the operation. */
export interface OperationCommand<Table extends OperationTable, P extends PlaceIn<Table>> {
  readonly place: P;
  readonly name?: string;
  readonly description?: string;
  /** Its arguments and options. */
  readonly example?: string;
  /** What `--tenant` means. */
  readonly tenant?: string;
  readonly access?: DatabaseAccess;
  /** The names of its arguments; by default, the ids in the path. */
  readonly words?: readonly string[];
  /** How members of the input are given. */
  readonly members?: Readonly<Record<string, MemberOption>>;
  /** The members that are options; by default, all but the revision. */
  readonly only?: readonly string[];
  /** Adds options that are no members. */
  readonly addOptions?: (command: Command) => Command;
  /** On this machine, it is about all tenants unless one is named. */
  readonly isOfAllTenants?: true;
  /** The same of all tenants: on this machine unless one is named, elsewhere with `--all-tenants`. */
  readonly ofAll?: PlaceIn<Table>;
  /** Throws StartupError for options that do not fit together. */
  readonly check?: (options: OptionValues) => void;
  /** Runs the operation and prints; by default, the output as JSON. */
  readonly run?: (run: OperationRun<Table, P>) => Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: what an option gives is checked by the schema of its member.
type Parse = (text: string, before: any) => any;

/** The option of a member, where its schema does not say it as a person would. */
export interface MemberOption {
  /** By default, the name of the member: `--daily-limit <number>`. */
  readonly flags?: string;
  readonly help?: string;
  readonly parse?: Parse;
  readonly default?: string;
  /** The command itself finds a value. */
  readonly isOptional?: true;
  /** What help says of a default that the schema has. */
  readonly defaultText?: string;
  /** What its opposite means, which sends null: `--no-daily-limit`. */
  readonly none?: string | undefined;
}

export interface OperationRun<Table extends OperationTable, P extends PlaceIn<Table>> {
  readonly runner: OperationRunner<Table>;
  /** That of the command, or of all tenants. */
  readonly place: PlaceIn<Table>;
  /** What the arguments and options name. */
  readonly input: InputOf<Table, P>;
  readonly options: OptionValues & JsonOption;
  /** Runs the operation with the input, and with the revision that it may want. */
  readonly send: (more?: Partial<InputOf<Table, P>>) => Promise<OutputOf<Table, P>>;
}

/** Adds the command of an operation to the group of its feature. */
export function addOperation<Table extends OperationTable, P extends PlaceIn<Table>>(
  group: Command,
  feature: Feature<Table>,
  row: OperationCommand<Table, P>,
): void {
  const { place, run = printOutput, access = accessOf(place) } = row;
  const { name, summary, input: schemas } = feature.declared[place] as Table[P];
  const word = row.name ?? name.slice(name.indexOf(' ') + 1);
  const command = group.command(word).description(row.description ?? summary);
  const ids = parametersOf(place);
  const { words = ids } = row;
  for (const each of words) {
    command.argument(`<${each}>`, row.members?.[each]?.help ?? descriptionOf(schemas[each]));
  }
  if (hasTenant(place)) command.option('--tenant <slug>', row.tenant ?? ANY_TENANT);
  const { ofAll, only = Object.keys(schemas).filter((member) => member !== 'revision') } = row;
  if (ofAll) command.option('--all-tenants', ALL_TENANTS);
  const members = only.filter((member) => ![...ids, ...words].includes(member));
  const readMembers = addMembers(
    command,
    Object.fromEntries(members.map((member) => [member, schemas[member]])),
    row.members,
  );
  row.addOptions?.(command);
  addManagementOptions(command)
    .addHelpText('after', () => {
      const words = ['tool-gateway', ...namesOf(group), word, row.example];
      return `\nExample: ${words.join(' ').trim()}`;
    })
    .action(async () => {
      const named = words.map((each, at) => [each, command.args[at]]);
      const options = { ...command.opts(), ...Object.fromEntries(named) };
      if (needsTenant(feature, row) && isHere(options) && options['tenant'] === undefined) {
        command.error("error: required option '--tenant <slug>' not specified");
      }
      row.check?.(options);
      const input = {
        ...Object.fromEntries(named.filter(([each = '']) => each in schemas)),
        ...readMembers(options),
        ...(hasTenant(place) && { tenant: options['tenant'] }),
      } as InputOf<Table, P>;
      const isOfAll = options['tenant'] === undefined && (isHere(options) || options['allTenants']);
      const chosen = (isOfAll && ofAll) || place;
      // The filter `--key` of `audit list` is no API key.
      const gateway = 'key' in schemas ? { ...options, key: undefined } : options;
      await withOperations(feature, access, gateway, async (runner) => {
        const any: Run = runner.run;
        const send = async (more?: object) => {
          const revision = 'revision' in schemas ? await readRevision(any, place, input) : {};
          return any(chosen, { ...input, ...revision, ...more });
        };
        await run({ runner, place: chosen, input, options, send });
      });
    });
}

/** The words before a command of a group, without the program's own. */
const namesOf = (group: Command): string[] =>
  group.parent?.parent ? [...namesOf(group.parent), group.name()] : [group.name()];

/** On this machine, only some ids say which tenant is meant. */
const needsTenant = <Table extends OperationTable, P extends PlaceIn<Table>>(
  { tenantOf }: Feature<Table>,
  { place, isOfAllTenants, ofAll }: OperationCommand<Table, P>,
): boolean =>
  hasTenant(place) && !isOfAllTenants && !ofAll && !(tenantOf && parametersOf(place).length > 0);

export const OWN_ELSEWHERE = 'on another machine, by default that of the API key';

const ANY_TENANT = `tenant that it belongs to; ${OWN_ELSEWHERE}`;

const ALL_TENANTS = 'on another machine, too, those of all tenants; needs the scope operator';

const accessOf = (place: string): DatabaseAccess => (place.startsWith('GET ') ? 'read' : 'change');

const hasTenant = (place: string): boolean => place.includes('/:tenant');

/** The ids in the path. */
const parametersOf = (place: string): string[] =>
  [...place.matchAll(/:(\w+)/g)].map(([, name = '']) => name).filter((name) => name !== 'tenant');

const descriptionOf = (schema: TSchema | undefined): string =>
  String(Reflect.get(schema ?? {}, 'description') ?? '');

/** What a schema says, as the help of an option does. */
const phraseOf = (schema: TSchema): string =>
  descriptionOf(schema)
    .replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase())
    .replace(/\.$/, '');

/** Adds the options of members, and returns what reads them. */
export function addMembers(
  command: Command,
  schemas: TProperties,
  how: Readonly<Record<string, MemberOption>> = {},
): (options: OptionValues) => Readonly<Record<string, unknown>> {
  const added = Object.entries(schemas).map(
    ([member, schema]) =>
      [member, schema, addMember(command, member, schema, how[member])] as const,
  );
  return (options) =>
    Object.fromEntries(
      added.map(([member, schema, attribute]) => [member, sentValue(schema, options[attribute])]),
    );
}

/** Adds the option of a member, and returns the name of its value. */
function addMember(
  command: Command,
  member: string,
  schema: TSchema,
  how: MemberOption = {},
): string {
  const flag = `--${member.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  const { flags = `${flag} <${placeholderOf(schema)}>`, help = phraseOf(schema) } = how;
  const value = how.default ?? Reflect.get(schema, 'default');
  const option = new Option(flags, help).default(value, how.defaultText);
  const choices = isBoolean(schema) ? ['true', 'false'] : Reflect.get(schema, 'enum');
  if (choices) option.choices(choices.filter((choice: unknown) => choice !== null));
  else option.argParser(how.parse ?? parserOf(schema));
  command.addOption(
    option.makeOptionMandatory(isRequired(schema) && value === undefined && !how.isOptional),
  );
  if (how.none) command.option(`--no-${option.long?.slice(2)}`, how.none);
  return option.attributeName();
}

const typesOf = (schema: TSchema): unknown[] => [Reflect.get(schema, 'type')].flat();

const isBoolean = (schema: TSchema): boolean => typesOf(schema).includes('boolean');

function placeholderOf(schema: TSchema): string {
  if (Reflect.get(schema, 'format') === 'date-time') return 'time';
  const [type] = typesOf(schema);
  return { integer: 'number', array: 'names', boolean: 'true|false' }[String(type)] ?? 'text';
}

interface Bounds {
  readonly minimum?: number;
  readonly maximum?: number;
}

function parserOf(schema: TSchema): Parse {
  const types = typesOf(schema);
  if (types.includes('array')) return addNames;
  const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = schema as Bounds;
  return types.includes('integer') ? parseCount(maximum, minimum) : (text) => text;
}

/** Reads a comma-separated list, and adds it to those before. */
const addNames = (text: string, before: readonly string[] | false = []): string[] => [
  ...(before || []),
  ...text
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean),
];

/** What an option sends. Of `--no-...`, it is null. */
function sentValue(schema: TSchema, option: unknown): unknown {
  if (option === false) return null;
  return isBoolean(schema) && option !== undefined ? option === 'true' : option;
}

/** The revision of what is changed, from the operation that shows it. */
async function readRevision(run: Run, place: string, input: object): Promise<object> {
  const shown = place.replace(/^\w+( .*:\w+).*$/, 'GET$1');
  const named = ['tenant', ...parametersOf(shown)].map((name) => [name, Reflect.get(input, name)]);
  const { revision } = await run(shown, Object.fromEntries(named));
  return { revision };
}

async function printOutput<Table extends OperationTable, P extends PlaceIn<Table>>({
  send,
}: OperationRun<Table, P>): Promise<void> {
  const output: unknown = await send();
  if (output !== undefined) process.stdout.write(`${JSON.stringify(output, null, 2)}\n`);
}
