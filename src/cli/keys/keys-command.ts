import { Command } from 'commander';
import { createTenantStore } from '../../access/tenants/tenant-store.ts';
import { OWN_TENANT } from '../../dialects/manage/authority.ts';
import { StartupError } from '../../platform/kernel/error.ts';
import { newApiKeyText } from '../../platform/kernel/ids.ts';
import { isoTime, systemClock } from '../../platform/kernel/time.ts';
import { addOperation, type MemberOption, type OperationRun } from '../operations/add-operation.ts';
import type { OperationRunner, OutputOf } from '../operations/operation-runner.ts';
import { ensureTenant } from '../people/people-feature.ts';
import type { JsonOption } from '../shared/options.ts';
import { parseDuration } from '../shared/options.ts';
import { printList } from '../shared/print-list.ts';
import { readPages } from '../shared/read-pages.ts';
import { KEYS } from './key-feature.ts';
import { warnUnmatched } from './warn-unmatched.ts';

const AS_JSON = ['--json', 'print the key with its properties as JSON'] as const;
const EXAMPLE_ID = 'key_01KA3Z2V8QK6D4T0N9XJ5W7M1C';

export function keysCommand(): Command {
  const keys = new Command('keys').description('Manage the API keys of callers.');
  addNewKeyCommands(keys);
  addReadingCommands(keys);
  addChangeCommands(keys);
  return keys;
}

/** What may be chosen for a key. */
const CHOSEN: Readonly<Record<string, MemberOption>> = {
  name: { help: 'what the key is for' },
  description: { help: 'what to remember about it' },
  expiresAt: {
    flags: '--expires <duration>',
    help: 'lifetime from now, such as 12h, 90d or 1y',
    parse: (text) => isoTime(systemClock.now() + parseDuration(text)),
  },
  allowedTools: {
    flags: '--tools <names>',
    help: 'comma-separated tool names, patterns such as kma_*, or categories such as category:weather; repeatable',
  },
  mode: { flags: '--mode <mode>', help: 'search: list only the tools that find the others' },
  rateLimitPerMinute: {
    flags: '--rate-limit <number>',
    help: "requests per minute, in place of the gateway's",
  },
  dailyLimit: { help: 'requests per day, from midnight to midnight in Seoul' },
};

/** What the options that remove something mean. */
const REMOVED: Readonly<Record<string, string>> = {
  expiresAt: 'no expiry',
  allowedTools: 'all tools of the tenant',
  mode: 'list all tools',
  rateLimitPerMinute: "the gateway's limit per minute",
  dailyLimit: 'no daily limit',
};

function addNewKeyCommands(keys: Command): void {
  addOperation(keys, KEYS, {
    place: 'POST /tenants/:tenant/keys',
    description: 'Create a key and print only the key on standard output. It is never shown again.',
    example: `--tenant acme --name "night report" --expires 90d --tools 'kma_*,frankfurter_rates'`,
    tenant: 'owner of the key; created if it does not exist. With --url, by default that of --key',
    access: 'create',
    members: {
      ...CHOSEN,
      name: { ...CHOSEN['name'], default: 'unnamed' },
      scope: {
        flags: '--scope <scope>',
        help: 'what the key may manage: admin its tenant, operator the gateway',
      },
    },
    addOptions: (command) => command.option(...AS_JSON),
    run: createKey,
  });
  keys
    .command('generate')
    .description(
      'Print a new key without storing it. A gateway that has it in BOOTSTRAP_API_KEY accepts it.',
    )
    .addHelpText('after', '\nExample: tool-gateway keys generate > bootstrap-api-key')
    .action(() => void process.stdout.write(`${newApiKeyText()}\n`));
  addOperation(keys, KEYS, {
    place: 'POST /tenants/:tenant/keys/:id/rotate',
    description: 'Replace a key and print only the new key. The old one ends after an overlap.',
    example: `${EXAMPLE_ID} --overlap 2d`,
    members: {
      overlapHours: {
        flags: '--overlap <duration>',
        help: 'how long the old key still works: 0 to 7d',
        parse: (text) => (text === '0' ? 0 : parseDuration(text) / 3_600_000),
        defaultText: '24h',
      },
    },
    addOptions: (command) => command.option(...AS_JSON),
    run: async ({ input, options, send }) => {
      const { key, replaced, text } = await send();
      const end = replaced.revokedAt ?? replaced.expiresAt;
      process.stderr.write(`${key.id} replaces ${input.id}, which ends at ${end}.\n`);
      printNew(text, key, options);
    },
  });
}

function addReadingCommands(keys: Command): void {
  addOperation(keys, KEYS, {
    place: LIST,
    description: 'List keys, newest first. Only the prefix of each key is shown.',
    example: '--tenant acme',
    tenant: 'only keys of this tenant; with --url, by default that of --key',
    isOfAllTenants: true,
    only: [],
    addOptions: (command) => command.option('--json', 'print one JSON object per line'),
    run: listKeys,
  });
  addOperation(keys, KEYS, {
    place: 'GET /tenants/:tenant/keys/:id',
    description: 'Show a key as JSON, without its text.',
    example: EXAMPLE_ID,
  });
  addOperation(keys, KEYS, {
    place: 'GET /tenants/:tenant/keys/hygiene',
    description: 'Count the active keys of a tenant as JSON, and those that are worth a look.',
    example: '--tenant acme',
  });
}

function addChangeCommands(keys: Command): void {
  const place = 'PATCH /tenants/:tenant/keys/:id';
  addOperation(keys, KEYS, {
    place: 'DELETE /tenants/:tenant/keys/:id',
    description: 'Revoke a key. Running gateways refuse it within a second.',
    example: EXAMPLE_ID,
    run: async ({ input, send }) => {
      await send();
      process.stdout.write(`Revoked ${input.id}.\n`);
    },
  });
  addOperation(keys, KEYS, {
    place,
    description: 'Change a key. Running gateways follow within a second.',
    example: `${EXAMPLE_ID} --daily-limit 5000 --no-expires`,
    members: Object.fromEntries(
      Object.entries(CHOSEN).map(([member, how]) => [member, { ...how, none: REMOVED[member] }]),
    ),
    run: changeKey,
  });
  addOperation(keys, KEYS, {
    place,
    name: 'allow',
    description: 'Change which tools a key may use. Running gateways follow within a second.',
    example: `${EXAMPLE_ID} --tools 'kma_*'`,
    only: ['allowedTools'],
    members: {
      allowedTools: {
        flags: '--tools <names>',
        help: 'comma-separated names, patterns and categories of tools; repeatable',
      },
    },
    addOptions: (command) => command.option('--all', 'all tools of the tenant'),
    check: ({ tools, all }) => {
      if ((tools === undefined) !== (all === undefined)) return;
      throw new StartupError('Give either --tools with a list of names, or --all.');
    },
    run: allowTools,
  });
}

type KeyTable = typeof KEYS.declared;
type KeyRun<P extends keyof KeyTable> = OperationRun<KeyTable, P>;
type Key = OutputOf<KeyTable, 'GET /tenants/:tenant/keys/:id'>;

const LIST = 'GET /tenants/:tenant/keys';

/** A key as `--json` prints it (docs/contract.md#command-line). */
const viewKey = (key: Key) => {
  const { id, tenant, name, description, prefix, state, owner, ...rest } = key;
  const { revision: _r, callsToday: _c, failuresToday: _f, concerns: _o, ...facts } = rest;
  const named = { id, tenant, name, description, prefix, state };
  return { ...named, owner: owner?.id ?? null, ...facts };
};

/** Prints the text of a new key, alone or with its properties. */
function printNew(text: string, key: Key, { json }: JsonOption): void {
  const { lastUsedAt: _never, ...view } = viewKey(key);
  process.stdout.write(json ? `${JSON.stringify({ key: text, ...view })}\n` : `${text}\n`);
}

async function createKey({ runner, input, options, send }: KeyRun<'POST /tenants/:tenant/keys'>) {
  if (input.tenant !== undefined) await ensureTenant(runner, input.tenant);
  const { key, text } = await send();
  printNew(text, key, options);
  await warnUnmatched(runner, key, input);
}

type Change = KeyRun<'PATCH /tenants/:tenant/keys/:id'>;

async function changeKey({ runner, input, send }: Change): Promise<void> {
  const { id, tenant: _tenant, ...change } = input;
  if (Object.values(change).every((value) => value === undefined)) {
    throw new StartupError('Name what to change, for example --name or --daily-limit.');
  }
  await warnUnmatched(runner, await send(), input);
  process.stdout.write(`Changed ${id}.\n`);
}

async function allowTools({ runner, input, send }: Change): Promise<void> {
  const { id, allowedTools: tools } = input;
  await warnUnmatched(runner, await send({ allowedTools: tools ?? null }), input);
  const allowed = tools?.join(', ') || (tools ? 'no tool' : 'all tools');
  process.stdout.write(`${id} may use ${allowed}.\n`);
}

/** Prints the keys of a tenant, or of all tenants, newest first. */
async function listKeys({ runner, input, options }: KeyRun<typeof LIST>) {
  const keys: Key[] = [];
  for (const tenant of input.tenant ? [input.tenant] : await usualTenants(runner)) {
    const found = readPages((page) => runner.run(LIST, { ...page, tenant }), 'keys');
    for await (const key of found) keys.push(key);
  }
  const views = keys.sort((a, b) => (a.id < b.id ? 1 : -1)).map(viewKey);
  await printList(views, options, HEADINGS, toRow);
}

const usualTenants = ({ either }: OperationRunner<KeyTable>): Promise<readonly string[]> =>
  either({
    here: async ({ database: { db } }) =>
      (await createTenantStore({ db, clock: systemClock }).list()).map(({ slug }) => slug),
    there: async () => [OWN_TENANT],
  });

const HEADINGS = [
  'ID',
  'TENANT',
  'PREFIX',
  'NAME',
  'STATE',
  'EXPIRES',
  'LAST USED',
  'TOOLS',
  'LISTS',
  'PER MINUTE',
  'PER DAY',
  'OWNER',
];

type KeyView = ReturnType<typeof viewKey>;

const toRow = (key: KeyView): string[] => [
  key.id,
  key.tenant,
  key.prefix,
  key.name,
  key.state,
  key.expiresAt ?? 'never',
  key.lastUsedAt ?? 'never',
  key.allowedTools?.join(',') ?? 'all',
  key.mode ?? 'all',
  perMinuteOf(key),
  key.dailyLimit?.toString() ?? 'unlimited',
  key.owner ?? 'unknown',
];

/** The limit that the key was given, and what of it applies if that is less. */
function perMinuteOf({ rateLimitPerMinute, effectiveRateLimitPerMinute }: KeyView): string {
  if (rateLimitPerMinute === null) return 'default';
  return rateLimitPerMinute === effectiveRateLimitPerMinute
    ? String(rateLimitPerMinute)
    : `${effectiveRateLimitPerMinute} of ${rateLimitPerMinute}`;
}
