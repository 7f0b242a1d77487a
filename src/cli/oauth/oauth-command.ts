import { Command } from 'commander';
import {
  type ClientOperationsDeps,
  createClientOperations,
} from '../../access/oauth/operations.ts';
import { systemClock as clock } from '../../platform/kernel/time.ts';
import { addList, addOperation } from '../operations/add-operation.ts';
import type { Feature } from '../operations/operation-runner.ts';

const CLIENTS: Feature<ReturnType<typeof createClientOperations>> = {
  declared: createClientOperations({} as ClientOperationsDeps),
  open: ({ database: { db } }) => createClientOperations({ db, clock }),
};

/** `tool-gateway oauth`: what concerns hosts in which people sign in. */
export function oauthCommand(): Command {
  const clients = new Command('clients').description(
    'Set up hosts that ask for a client id and a secret.',
  );
  addOperation(clients, CLIENTS, {
    operation: 'POST /oauth-clients',
    example: '--name "Company chat" --redirect https://chat.example.com/callback',
    options: { redirects: { flags: '--redirect <address>' } },
    print: ({ id, secret }) =>
      `Client id: ${id}${secret === undefined ? '' : `\nClient secret: ${secret}`}`,
  });
  addList(clients, CLIENTS, {
    operation: 'GET /oauth-clients',
    example: '--json',
    rows: (output) => output.clients,
    columns: {
      ID: ({ id }) => id,
      NAME: ({ name }) => name,
      REDIRECTS: ({ redirects }) => redirects.join(' '),
      SECRET: ({ isPublic }) => (isPublic ? 'no' : 'yes'),
      CREATED: ({ createdAt }) => createdAt,
    },
  });
  addOperation(clients, CLIENTS, {
    operation: 'DELETE /oauth-clients/:id',
    example: 'oac_01KA3Z2V8QK6D4T0N9XJ5W7M1C',
    print: (_nothing, { id }) => `Deleted ${id}.`,
  });
  return new Command('oauth').description('Let people sign in from MCP hosts.').addCommand(clients);
}
