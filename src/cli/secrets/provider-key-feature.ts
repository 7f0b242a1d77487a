import { createProviderKeySource } from '../../access/provider-keys/provider-key-source.ts';
import { createProviderKeyStore } from '../../access/provider-keys/provider-key-store.ts';
import { openProviderKeys } from '../../access/provider-keys/provider-keys.ts';
import { keyNamesOf } from '../../calls/provider-keys/key-users.ts';
import {
  createProviderKeyOperations,
  type ProviderKeyOperationsDeps,
} from '../../calls/provider-keys/operations.ts';
import { secretsFromEnvironment } from '../../platform/config/settings.ts';
import { systemClock } from '../../platform/kernel/clock.ts';
import { openVault } from '../../platform/vault/vault.ts';
import { decodeProviderKey } from '../../public-data/service-key.ts';
import type { Feature } from '../operations/operation-runner.ts';
import { loadPresetCatalog } from '../shared/preset-catalog.ts';

export type ProviderKeyTable = ReturnType<typeof createProviderKeyOperations>;

/** The keys of providers that the presets on this machine name, or those of a gateway. */
export const PROVIDER_KEYS: Feature<ProviderKeyTable> = {
  declared: createProviderKeyOperations({} as ProviderKeyOperationsDeps),
  open: async ({ database: { db }, settings, parts }) => {
    const catalog = await loadPresetCatalog(settings);
    const providerKeys = await openProviderKeys({
      store: createProviderKeyStore({ db, vault: openVault(settings), clock: systemClock }),
      source: createProviderKeySource({
        names: keyNamesOf(catalog),
        environment: secretsFromEnvironment(process.env),
        decode: decodeProviderKey,
      }),
      pollMs: 60_000,
      onChanged: () => undefined,
      onUnreadable: () => undefined,
    });
    parts.push(providerKeys);
    return createProviderKeyOperations({ providerKeys, catalog });
  },
};
