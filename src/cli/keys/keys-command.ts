import { Command } from 'commander';
import { createApiKeyStore } from '../../access/keys/api-key-store.ts';
import { rateLimitsOf } from '../../access/keys/key-change.ts';
import { createKeyOperations, type KeyOperationsDeps } from '../../access/keys/operations.ts';
import { namesOf } from '../../access/people/find-person.ts';
import { openKeyUsage } from '../../compose/open-key-usage.ts';
import { StartupError } from '../../platform/kernel/error.ts';
import { newApiKeyText } from '../../platform/kernel/ids.ts';
import { systemClock as clock, isoTime } from '../../platform/kernel/time.ts';
import { addList, addOperation } from '../operations/add-operation.ts';
import type { MemberOption } from '../operations/member-options.ts';
import type { Feature, LocalContext, OutputOf } from '../operations/operation-runner.ts';
import { ensureTenant } from '../people/people-command.ts';
import { parseDuration } from '../shared/options.ts';
import { warnUnmatched } from './warn-unmatched.ts';

type KeyTable = ReturnType<typeof createKeyOperations>;

const KEYS: Feature<KeyTable> = {
  declared: createKeyOperations({} as KeyOperationsDeps),
  open: (context) => {
    const { database, settings } = context;
    const { db } = database;
    const grantMs = settings.OAUTH_GRANT_DAYS * 86_400_000;
    return createKeyOperations({
      keysOf: ({ id: actor, isOperator }) =>
        createApiKeyStore({ db, clock, actor, isOperator, grantMs }),
      rateLimits: rateLimitsOf(settings),
      usage: usageOf(context),
      ownerNames: (personIds) => namesOf(db, personIds),
      clock,
      // Running gateways follow by themselves.
      onChanged: async () => {},
    });
  },
  tenantOf: async ({ database: { db } }, input) => {
    const id = String(Reflect.get(input, 'id'));
    return (await createApiKeyStore({ db, clock }).find({ id })).tenantSlug;
  },
};

/** Only what is read shows it, so that a key can be revoked while the statistics cannot be read. */
function usageOf({ access, database, settings, parts }: LocalContext): KeyOperationsDeps['usage'] {
  if (access !== 'read') return { keyUsage: async () => [] };
  let opened: ReturnType<typeof openKeyUsage> | undefined;
  return {
    keyUsage: async (...query) => {
      opened ??= openKeyUsage(database, settings.DATA_DIR).then((usage) => {
        parts.push(usage);
        return usage;
      });
      return (await opened).keyUsage(...query);
    },
  };
}

const EXAMPLE_ID = 'key_01KA3Z2V8QK6D4T0N9XJ5W7M1C';

/** The options of what may be chosen for a key, where they are not named like it. */
const CHOSEN: Readonly<Record<string, MemberOption>> = {
  expiresAt: {
    flags: '--expires <duration>',
    help: 'lifetime from now, such as 12h, 90d or 1y',
    parse: (text) => isoTime(clock.now() + parseDuration(text)),
  },
  allowedTools: { flags: '--tools <names>' },
  rateLimitPerMinute: { flags: '--rate-limit <number>' },
};

export function keysCommand(): Command {
  const keys = new Command('keys').description('Manage the API keys of callers.');
  addNewKeyCommands(keys);
  addReadingCommands(keys);
  addChangeCommands(keys);
  return keys;
}

function addNewKeyCommands(keys: Command): void {
  addOperation(keys, KEYS, {
    operation: 'POST /tenants/:tenant/keys',
    description: 'Create a key and print only the key on standard output. It is never shown again.',
    example: `--tenant acme --name "night report" --expires 90d --tools 'kma_*,frankfurter_rates'`,
    tenant:
      'tenant that owns the key (created if missing; with --url, defaults to the tenant of the API key)',
    createsDatabase: true,
    options: { ...CHOSEN, name: { default: 'unnamed' } },
    run: async ({ runner, input, send }) => {
      if (input.tenant !== undefined) await ensureTenant(runner, input.tenant);
      const created = await send();
      await warnUnmatched(runner, created.key, input);
      return created;
    },
    print: ({ text }) => text,
  });
  keys
    .command('generate')
    .description(
      'Print a new key without storing it. A gateway that has it in BOOTSTRAP_API_KEY accepts it.',
    )
    .addHelpText('after', '\nExample: tool-gateway keys generate > bootstrap-api-key')
    .action(() => void process.stdout.write(`${newApiKeyText()}\n`));
  addOperation(keys, KEYS, {
    operation: 'POST /tenants/:tenant/keys/:id/rotate',
    description: 'Replace a key and print only the new key. The old one ends after an overlap.',
    example: `${EXAMPLE_ID} --overlap-hours 48`,
    run: async ({ input, send }) => {
      const rotated = await send();
      const { key, replaced } = rotated;
      const end = replaced.revokedAt ?? replaced.expiresAt;
      process.stderr.write(`${key.id} replaces ${input.id}, which ends at ${end}.\n`);
      return rotated;
    },
    print: ({ text }) => text,
  });
}

function addReadingCommands(keys: Command): void {
  addList(keys, KEYS, {
    operation: 'GET /tenants/:tenant/keys',
    example: '--tenant acme',
    defaultsToAllTenants: true,
    rows: (output) => output.keys,
    columns: {
      ID: ({ id }) => id,
      TENANT: ({ tenant }) => tenant,
      PREFIX: ({ prefix }) => prefix,
      NAME: ({ name }) => name,
      STATE: ({ state }) => state,
      EXPIRES: ({ expiresAt }) => expiresAt ?? 'never',
      'LAST USED': ({ lastUsedAt }) => lastUsedAt ?? 'never',
      TOOLS: ({ allowedTools }) => allowedTools?.join(',') ?? 'all',
      LISTS: ({ mode }) => mode ?? 'all',
      'PER MINUTE': perMinuteOf,
      'PER DAY': ({ dailyLimit }) => dailyLimit?.toString() ?? 'unlimited',
      OWNER: ({ owner }) => owner?.id ?? 'unknown',
    },
  });
  addOperation(keys, KEYS, {
    operation: 'GET /tenants/:tenant/keys/:id',
    example: EXAMPLE_ID,
  });
  addOperation(keys, KEYS, {
    operation: 'GET /tenants/:tenant/keys/hygiene',
    example: '--tenant acme',
  });
}

function addChangeCommands(keys: Command): void {
  addOperation(keys, KEYS, {
    operation: 'DELETE /tenants/:tenant/keys/:id',
    example: EXAMPLE_ID,
    print: (_key, { id }) => `Revoked ${id}.`,
  });
  addOperation(keys, KEYS, {
    operation: 'PATCH /tenants/:tenant/keys/:id',
    description: 'Change a key. Running gateways follow within a second.',
    example: `${EXAMPLE_ID} --tools 'kma_*' --daily-limit 5000 --no-expires`,
    options: CHOSEN,
    run: async ({ runner, input, send }) => {
      const { id: _id, tenant: _tenant, ...change } = input;
      if (Object.values(change).every((value) => value === undefined)) {
        throw new StartupError('Name what to change, for example --name or --daily-limit.');
      }
      const key = await send();
      await warnUnmatched(runner, key, input);
      return key;
    },
    print: (_key, { id }) => `Changed ${id}.`,
  });
}

type Key = OutputOf<KeyTable, 'GET /tenants/:tenant/keys/:id'>;

/** The limit that the key was given, and what of it applies if that is less. */
function perMinuteOf({ rateLimitPerMinute, effectiveRateLimitPerMinute }: Key): string {
  if (rateLimitPerMinute === null) return 'default';
  return rateLimitPerMinute === effectiveRateLimitPerMinute
    ? String(rateLimitPerMinute)
    : `${effectiveRateLimitPerMinute} of ${rateLimitPerMinute}`;
}
