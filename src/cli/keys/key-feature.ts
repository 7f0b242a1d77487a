import { createApiKeyStore } from '../../access/keys/api-key-store.ts';
import { rateLimitsOf } from '../../access/keys/key-change.ts';
import type { KeyUsageSource } from '../../access/keys/key-hygiene.ts';
import { createKeyOperations, type KeyOperationsDeps } from '../../access/keys/operations.ts';
import { namesOf } from '../../access/people/find-person.ts';
import { openKeyUsage } from '../../compose/open-key-usage.ts';
import { systemClock as clock } from '../../platform/kernel/time.ts';
import type { Feature, LocalContext } from '../operations/operation-runner.ts';

const open = (context: LocalContext) => {
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
};

/** Only lists show it, so that a key can be revoked while the statistics cannot be read. */
function usageOf({ access, database, settings, parts }: LocalContext): KeyUsageSource {
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

export const KEYS: Feature<ReturnType<typeof createKeyOperations>> = {
  declared: createKeyOperations({} as KeyOperationsDeps),
  open,
  tenantOf: async ({ database: { db } }, input) => {
    const id = String(Reflect.get(input, 'id'));
    return (await createApiKeyStore({ db, clock }).find({ id })).tenantSlug;
  },
};
