import { writeSync } from 'node:fs';
import { openDatabase } from '../../src/platform/database/database.ts';
import { Secret } from '../../src/platform/kernel/secret.ts';
import { systemClock } from '../../src/platform/kernel/time.ts';
import { readEncryptionKey } from '../../src/platform/vault/cipher.ts';
import { createVault } from '../../src/platform/vault/vault.ts';
import { createRegistrations } from '../../src/registrations/registrations.ts';
import { description, request, smallSteps } from './registrations.ts';

/**
 * Registers an API with a credential, and stops for ever when the job has reached a state, or never if the state is empty.
 * Prints every state. The input is a JSON object on the command line.
 */
const { dataDir, databaseUrl, key, tenantId, stopAt } = JSON.parse(process.argv[2] ?? '') as {
  dataDir: string;
  databaseUrl: string | null;
  key: string;
  tenantId: string;
  stopAt: string;
};
const URL_OF = 'https://api.example.com/openapi.json';

const database = openDatabase({
  dataDir,
  databaseUrl: databaseUrl === null ? undefined : new Secret(databaseUrl),
});
const encryptionKey = readEncryptionKey(new Secret(key));
const registrations = createRegistrations({
  db: database.db,
  vault: createVault(() => [encryptionKey]),
  clock: systemClock,
  isSharedName: () => false,
  serve: async () => undefined,
  steps: smallSteps({ [URL_OF]: description('list get') }),
  onChanged: ({ status }) => {
    writeSync(1, `${status}\n`);
    if (status === stopAt) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  },
  onError: (error) => console.error(error),
});
const auth = { type: 'bearer', token: 't' };
await registrations.submit(
  { tenantId, apiKeyId: 'key_1' },
  request({ spec_url: URL_OF, spec_raw: undefined, auth }),
);
setInterval(() => undefined, 1000);
