import { Command } from 'commander';
import {
  type ClientOperationsDeps,
  createClientOperations,
} from '../../access/oauth/operations.ts';
import { systemClock as clock } from '../../platform/kernel/time.ts';
import { addOperation } from '../operations/add-operation.ts';
import type { Feature } from '../operations/operation-runner.ts';
import { jsonLines } from '../shared/output.ts';
import { printList } from '../shared/print-list.ts';

const CLIENTS: Feature<ReturnType<typeof createClientOperations>> = {
  declared: createClientOperations({} as ClientOperationsDeps),
  open: ({ database: { db } }) => createClientOperations({ db, clock }),
};

const AS_JSON = ['--json', 'print JSON'] as const;

/** `tool-gateway oauth`: what concerns hosts in which people sign in. */
export function oauthCommand(): Command {
  const clients = new Command('clients').description(
    'Set up hosts that ask for a client id and a secret.',
  );
  addOperation(clients, CLIENTS, {
    place: 'POST /oauth-clients',
    description: 'Create a client. Its secret is shown this one time.',
    example: '--name "Company chat" --redirect https://chat.example.com/callback',
    members: {
      redirects: {
        flags: '--redirect <address>',
        help: 'where the host takes codes, exactly as it sends it; repeatable',
        parse: (text: string, before: readonly string[] | undefined = []) => [...before, text],
      },
    },
    only: ['name', 'redirects'],
    addOptions: (command) =>
      command.option('--public', 'it cannot keep a secret, and gets none').option(...AS_JSON),
    run: async ({ options, send }) => {
      const { id, secret } = await send({ isPublic: options['public'] === true });
      const lines = [`Client id: ${id}`, ...(secret ? [`Client secret: ${secret}`] : [])];
      process.stdout.write(options.json ? jsonLines([{ id, secret }]) : `${lines.join('\n')}\n`);
    },
  });
  addOperation(clients, CLIENTS, {
    place: 'GET /oauth-clients',
    example: '--json',
    addOptions: (command) => command.option(...AS_JSON),
    run: async ({ options, send }) =>
      printList(
        (await send()).clients,
        options,
        ['ID', 'NAME', 'REDIRECTS', 'SECRET', 'CREATED'],
        ({ id, name, redirects, isPublic, createdAt }) => [
          id,
          name,
          redirects.join(' '),
          isPublic ? 'no' : 'yes',
          createdAt,
        ],
      ),
  });
  addOperation(clients, CLIENTS, {
    place: 'DELETE /oauth-clients/:id',
    example: 'oac_01KA3Z2V8QK6D4T0N9XJ5W7M1C',
    run: async ({ input, send }) => {
      await send();
      process.stdout.write(`Deleted ${input.id}.\n`);
    },
  });
  return new Command('oauth').description('Let people sign in from MCP hosts.').addCommand(clients);
}
