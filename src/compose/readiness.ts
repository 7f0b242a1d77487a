import { openKeyDatasets } from '../access/provider-keys/key-datasets.ts';
import {
  createProviderKeyStore,
  type Fingerprint,
  OPERATOR,
  openFingerprints,
} from '../access/provider-keys/provider-key-store.ts';
import { openProviderKeys, type ProviderKeys } from '../access/provider-keys/provider-keys.ts';
import { warnOfShortSecrets } from '../calls/hidden-secrets.ts';
import { createKeyOf } from '../calls/provider-keys/connections.ts';
import { createReadinessNotes } from '../calls/provider-keys/datasets.ts';
import { createKeyObserver, createOperatorKeys } from '../calls/provider-keys/observe-key.ts';
import { createMaySend } from '../calls/provider-keys/tool-readiness.ts';
import { keyRefusalOf, provesKey } from '../public-data/judge-refusal.ts';
import { readinessHint } from '../public-data/result-code.ts';
import { PUBLIC_DATA_TOOLS } from '../public-data/tool-domain.ts';
import { readKeyOrigins } from '../registrations/store/registration-record.ts';
import type { PresetNotes } from '../tools/catalog-entry.ts';
import type { GatewayContext } from './options.ts';
import type { Storage } from './storage.ts';

/** A third of the time within which every process must know what another has learned (docs/contract.md#readiness-of-keys). */
const POLL_MS = 1000;

const GATHER_MS = 100;

/** Opens the keys of providers and what responses say about them, and describes the tools of presets with it. */
export async function openReadiness(context: GatewayContext, storage: Storage) {
  const { catalog, keySource, clock, parts } = context;
  const { db } = storage.database;
  const fingerprint = await openFingerprints(db);
  const keyInUse = createOperatorKeys(keySource.secretOf, fingerprint);
  let onChanged = (): void => undefined;
  const keyDatasets = parts.add(
    await openKeyDatasets({ db, clock, pollMs: POLL_MS, onChanged: () => onChanged() }),
  );
  const providerKeys = await openKeys(context, storage, fingerprint);
  const keyOf = createKeyOf(keyInUse, providerKeys);

  /** What tools say to a tenant; those without a key of their own are told the same. */
  function notesFor(tenantId: string): PresetNotes {
    const isWithheld = (name: string): boolean => {
      const keys = providerKeys.of(tenantId);
      return keys?.withheld.has(name) === true && !keys.stored.has(name);
    };
    return {
      hasSecret: (name) => isWithheld(name) || hasKey(tenantId, name),
      noteOn: createReadinessNotes({ keyDatasets, keyInUse: keyOf(tenantId), isWithheld }),
    };
  }
  const hasKey = (tenantId: string, name: string): boolean => keyOf(tenantId)(name) !== undefined;

  /** All that the tools say to anyone of their keys. */
  const told = (): string =>
    JSON.stringify(
      ['', ...providerKeys.tenants()].map((tenantId) => {
        const { noteOn } = notesFor(tenantId);
        return [tenantId, catalog.presetEntries.map((entry) => noteOn(entry))];
      }),
    );
  let described = told();
  function describe(): void {
    described = told();
    catalog.describePresets(notesFor(''));
    catalog.describeTenants(new Map(providerKeys.tenants().map((id) => [id, notesFor(id)])));
  }
  describe();
  return {
    fingerprint,
    keyInUse,
    keyOf,
    keyDatasets,
    providerKeys,
    maySend: createMaySend(catalog, PUBLIC_DATA_TOOLS.families),
    keyOrigins: (tenantId: string) => readKeyOrigins(db, tenantId),
    /** Describes the tools again, because other keys are set. */
    describe,
    ...createKeyObserver({
      keyDatasets,
      clock,
      judge: { refusalOf: keyRefusalOf, provesKey, hintOf: readinessHint },
    }),
    /** Calls the listener whenever a key has changed, or the tools have other descriptions. */
    follow(listener: () => void): void {
      providerKeys.onChanged(() => {
        describe();
        listener();
      });
      const tell = (): void => {
        if (told() === described) return;
        describe();
        listener();
      };
      const gather = parts.add(createGather(tell));
      onChanged = () => (providerKeys.tenants().length === 0 ? tell() : gather.soon());
    },
  };
}

/** Half the time within which every replica must use a change (docs/contract.md#provider-keys). */
const KEY_POLL_MS = 500;

/** Takes the stored keys of providers into use, and logs their changes. */
async function openKeys(
  { keySource: source, logger, securityLog, clock, parts }: GatewayContext,
  { database: { db }, vault }: Storage,
  fingerprint: Fingerprint,
): Promise<ProviderKeys> {
  const keys = parts.add(
    await openProviderKeys({
      store: createProviderKeyStore({ db, vault, clock }),
      ...{ source, fingerprint, pollMs: KEY_POLL_MS },
      onUnreadable: ({ tenantId, name: secretName }) =>
        logger.error(
          { ...(tenantId !== OPERATOR && { tenantId }), secretName },
          'a stored provider key cannot be decrypted with ENCRYPTION_KEY; restore the key, or set the provider key again',
        ),
    }),
  );
  keys.onChanged((changed) => {
    for (const { tenantId, name: secretName } of changed) {
      if (tenantId !== OPERATOR) {
        securityLog.record('own_key_changed', { tenantId, secretName });
        continue;
      }
      warnOfShortSecrets([secretName], source.secretOf, logger);
      const origin = source.originOf(secretName);
      securityLog.record('provider_key_changed', { secretName, origin });
    }
  });
  return keys;
}

/** With many tenants, each of whose keys is new, the changes of a moment are told together. */
function createGather(tell: () => void) {
  let timer: NodeJS.Timeout | undefined;
  return {
    soon(): void {
      timer ??= setTimeout(() => {
        timer = undefined;
        tell();
      }, GATHER_MS);
    },
    close: async (): Promise<void> => clearTimeout(timer),
  };
}

export type ReadinessParts = Awaited<ReturnType<typeof openReadiness>>;
