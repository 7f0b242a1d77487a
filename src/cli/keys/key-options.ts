import { type Command, InvalidArgumentError, Option } from 'commander';
import type { KeyChange, KeyMode } from '../../access/keys/key-columns.ts';
import { systemClock } from '../../platform/kernel/clock.ts';
import { StartupError } from '../../platform/kernel/startup-error.ts';
import { parseDuration } from '../shared/duration.ts';

/** What may be chosen for a key. `false` removes a limit, an expiry or the list of tools. */
export interface KeyOptions {
  readonly name?: string;
  readonly description?: string;
  readonly expires?: number | false;
  readonly tools?: readonly string[] | false;
  readonly mode?: KeyMode | false;
  readonly rateLimit?: number | false;
  readonly dailyLimit?: number | false;
}

/** Adds the options of a new or changed key, except for its name. */
export const addKeyOptions = (command: Command): Command =>
  command
    .option('--description <text>', 'what to remember about it')
    .option('--expires <duration>', 'lifetime from now, such as 12h, 90d or 1y', parseDuration)
    .option(
      '--tools <names>',
      'comma-separated tool names, patterns such as kma_*, or categories such as category:weather; repeatable',
      addNames,
    )
    .addOption(
      new Option('--mode <mode>', 'search: list only the tools that find the others').choices([
        'search',
      ]),
    )
    .option('--rate-limit <number>', "requests per minute, in place of the gateway's", parseLimit)
    .option(
      '--daily-limit <number>',
      'requests per day, from midnight to midnight UTC',
      parseLimit,
    );

/** Adds the options that remove what a key has. */
export const addRemovingOptions = (command: Command): Command =>
  command
    .option('--no-expires', 'no expiry')
    .option('--no-tools', 'all tools of the tenant')
    .option('--no-mode', 'list all tools')
    .option('--no-rate-limit', "the gateway's limit per minute")
    .option('--no-daily-limit', 'no daily limit');

/** The members that the options name. */
export const keyChangeOf = ({
  name,
  description,
  expires,
  tools,
  mode,
  rateLimit,
  dailyLimit,
}: KeyOptions): KeyChange => ({
  name,
  description,
  expiresAtMs: chosen(expires, (duration) => systemClock.now() + duration),
  allowedTools: chosen(tools, (names) => names),
  mode: chosen(mode, (chosenMode) => chosenMode),
  rateLimitPerMinute: chosen(rateLimit, (limit) => limit),
  dailyLimit: chosen(dailyLimit, (limit) => limit),
});

/** Throws StartupError if no option names a change. */
export function requireChange(change: KeyChange): KeyChange {
  if (Object.values(change).some((value) => value !== undefined)) return change;
  throw new StartupError('Name what to change, for example --name or --daily-limit.');
}

/** Reads a comma-separated list, and adds it to those before. */
export const addNames = (text: string, before: readonly string[] | false = []): string[] => [
  ...(before || []),
  ...text
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean),
];

function chosen<T, R>(option: T | false | undefined, use: (option: T) => R): R | null | undefined {
  if (option === undefined) return undefined;
  return option === false ? null : use(option);
}

function parseLimit(text: string): number {
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Give a whole number of at least 1.');
}
