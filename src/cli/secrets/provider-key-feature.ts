import { openFingerprints } from '../../access/provider-keys/fingerprint.ts';
import { openKeyDatasets } from '../../access/provider-keys/key-datasets.ts';
import { createProviderKeySource } from '../../access/provider-keys/provider-key-source.ts';
import { createProviderKeyStore } from '../../access/provider-keys/provider-key-store.ts';
import { openProviderKeys } from '../../access/provider-keys/provider-keys.ts';
import { createKeyOf } from '../../calls/provider-keys/connections.ts';
import { keyNamesOf } from '../../calls/provider-keys/key-users.ts';
import { createOperatorKeys } from '../../calls/provider-keys/observe-key.ts';
import {
  createProviderKeyOperations,
  type ProviderKeyOperationsDeps,
} from '../../calls/provider-keys/operations.ts';
import { createMaySend } from '../../calls/provider-keys/tool-readiness.ts';
import { createBuckets } from '../../calls/quotas/quota-bucket.ts';
import { createQuotaStore } from '../../calls/quotas/quota-store.ts';
import { secretsFromEnvironment } from '../../platform/config/settings.ts';
import { systemClock as clock } from '../../platform/kernel/time.ts';
import { openVault } from '../../platform/vault/vault.ts';
import { decodeProviderKey } from '../../public-data/service-key.ts';
import { PUBLIC_DATA_TOOLS } from '../../public-data/tool-domain.ts';
import { readKeyOrigins } from '../../registrations/store/registration-record.ts';
import type { Feature, LocalContext } from '../operations/operation-runner.ts';
import { loadPresetCatalog } from '../shared/preset-catalog.ts';

export type ProviderKeyTable = ReturnType<typeof createProviderKeyOperations>;

/** The keys of providers that the presets on this machine name, or those of a gateway. */
export const PROVIDER_KEYS: Feature<ProviderKeyTable> = {
  declared: createProviderKeyOperations({} as ProviderKeyOperationsDeps),
  open: async (context) => createProviderKeyOperations(await openParts(context)),
};

async function openParts({ database, settings, parts }: LocalContext) {
  const { db } = database;
  const vault = await openVault(settings, db);
  const catalog = await loadPresetCatalog(settings);
  const fingerprint = await openFingerprints(db);
  const source = createProviderKeySource({
    names: keyNamesOf(catalog),
    environment: secretsFromEnvironment(process.env),
    decode: decodeProviderKey,
  });
  const providerKeys = await openProviderKeys({
    store: createProviderKeyStore({ db, vault, clock }),
    ...{ source, fingerprint, pollMs: POLL_MS },
    onUnreadable: () => undefined,
  });
  parts.push(providerKeys);
  const keyDatasets = await openKeyDatasets({
    ...{ db, clock, pollMs: POLL_MS },
    onChanged: () => undefined,
  });
  parts.push(keyDatasets);
  const keyInUse = createOperatorKeys(source.secretOf, fingerprint);
  const { read } = createQuotaStore({ database, clock });
  const quotas = { bucketOf: createBuckets(providerKeys.quotaOf), read };
  return {
    ...{ providerKeys, catalog, keyDatasets, keyInUse, quotas },
    keyOf: createKeyOf(keyInUse, providerKeys),
    maySend: createMaySend(catalog, PUBLIC_DATA_TOOLS.families),
    keyOrigins: (tenantId: string) => readKeyOrigins(db, tenantId),
  };
}

/** A command ends before it has to poll. */
const POLL_MS = 60_000;
