import { Argument, type Command, Option, type OptionValues } from 'commander';
import type { TProperties, TSchema } from 'typebox';
import { isRequired } from '../../platform/input/schema.ts';
import { parseCount } from '../shared/options.ts';

/** How a person gives a member of an input, where its schema does not say it. */
export interface MemberOption {
  /** By default, the name of the member: `--daily-limit <number>`. */
  readonly flags?: string;
  /** By default, the description of the member. */
  readonly help?: string;
  readonly parse?: Parse;
  readonly default?: string;
}

// biome-ignore lint/suspicious/noExplicitAny: what an option gives is checked by the schema of its member.
type Parse = (text: string, before: any) => any;

/**
 * Adds an option for each member of an input, and returns what reads their values. With `canRemove`, a member that may be
 * null also gets `--no-...`, which sends null. Members that are lists of objects get none.
 */
export function addMemberOptions(
  command: Command,
  schemas: TProperties,
  options: Readonly<Record<string, MemberOption | false>> = {},
  canRemove = false,
): (given: OptionValues) => Readonly<Record<string, unknown>> {
  const members = Object.entries(schemas).filter(([, schema]) => !isListOfObjects(schema));
  const names = members.map(([member, schema]) => {
    const option = memberOption(member, schema, options[member] || {});
    command.addOption(option);
    const [, removed] = helpOf(schema);
    if (canRemove && removed) command.option(`--no-${option.long?.slice(2)}`, removed);
    return [member, option.attributeName()] as const;
  });
  return (given) =>
    Object.fromEntries(
      names.map(([member, name]) => [member, given[name] === false ? null : given[name]]),
    );
}

function memberOption(member: string, schema: TSchema, how: MemberOption): Option {
  const { flags = flagsOf(member, schema), help = helpOf(schema)[0] } = how;
  const option = new Option(flags, help);
  if (isBoolean(schema)) return option;
  option.default(how.default ?? Reflect.get(schema, 'default'));
  option.makeOptionMandatory(isRequired(schema) && option.defaultValue === undefined);
  return how.parse ? option.argParser(how.parse) : readAs(schema, option);
}

/** The argument of a command that gives a member of an input. */
export const memberArgument = (
  member: string,
  schema: TSchema = {},
  { help = helpOf(schema)[0] }: MemberOption = {},
): Argument => readAs(schema, new Argument(`<${member}>`, help));

/** Makes an option or an argument refuse what its schema does. */
function readAs<Added extends Option | Argument>(schema: TSchema, added: Added): Added {
  const choices: readonly unknown[] | undefined = Reflect.get(schema, 'enum');
  if (choices) added.choices(choices.filter((choice) => choice !== null).map(String));
  else if (typesOf(schema).includes('array')) added.argParser(addNames);
  else if (typesOf(schema).includes('integer')) {
    const { minimum, maximum = Number.MAX_SAFE_INTEGER } = schema as Bounds;
    added.argParser(parseCount(maximum, minimum));
  }
  return added;
}

interface Bounds {
  readonly minimum?: number;
  readonly maximum?: number;
}

/** Reads a comma-separated list, and adds it to those before. */
const addNames = (text: string, before: readonly string[] | false = []): string[] => [
  ...(before || []),
  ...text
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean),
];

/** `isPublic` is `--public`. */
function flagsOf(member: string, schema: TSchema): string {
  const name = isBoolean(schema) ? member.replace(/^is(?=[A-Z])/, '') : member;
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).trim();
  const flag = `--${words.replaceAll(' ', '-')}`;
  const [type] = typesOf(schema);
  const value = { integer: 'number', array: 'list' }[String(type)] ?? 'text';
  return isBoolean(schema) ? flag : `${flag} <${value}>`;
}

/** The description of a schema as help has it, and what it says of null: `...; null = no limit.` */
function helpOf(schema: TSchema): readonly [help: string, removed: string | undefined] {
  const [help = '', removed] = String(Reflect.get(schema, 'description') ?? '')
    .replaceAll('`', '')
    .replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase())
    .replace(/\.$/, '')
    .split('; null = ');
  const isList = typesOf(schema).includes('array');
  return [isList ? `${help} (comma-separated, repeatable)` : help, removed];
}

const typesOf = (schema: TSchema): unknown[] => [Reflect.get(schema, 'type')].flat();

const isBoolean = (schema: TSchema): boolean => typesOf(schema).includes('boolean');

const isListOfObjects = (schema: TSchema): boolean =>
  Reflect.get(Reflect.get(schema, 'items') ?? {}, 'type') === 'object';
