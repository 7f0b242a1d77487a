import { openFingerprints } from '../access/provider-keys/fingerprint.ts';
import { openKeyDatasets } from '../access/provider-keys/key-datasets.ts';
import { createOwnKeyStore } from '../access/provider-keys/own-key-store.ts';
import { createOwnKeys } from '../access/provider-keys/own-keys.ts';
import { createKeyOf } from '../calls/provider-keys/connections.ts';
import { createReadinessNotes } from '../calls/provider-keys/datasets.ts';
import { createMaySend } from '../calls/provider-keys/key-hosts.ts';
import { createKeyObserver, createOperatorKeys } from '../calls/provider-keys/observe-key.ts';
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

/** Opens what responses say about the keys of providers, and describes the tools of presets with it. */
export async function openReadiness(context: GatewayContext, { database: { db }, vault }: Storage) {
  const { catalog, keySource, logger, clock, parts } = context;
  const fingerprint = await openFingerprints(db);
  const keyInUse = createOperatorKeys(keySource.secretOf, fingerprint);
  const ownKeyStore = createOwnKeyStore({ db, vault, clock });
  const ownKeys = createOwnKeys({
    store: ownKeyStore,
    fingerprint,
    decode: keySource.decode,
    onUnreadable: ({ tenantId, name: secretName }) =>
      logger.error(
        { tenantId, secretName },
        'a provider key of a tenant cannot be decrypted with ENCRYPTION_KEY; restore the key, or have it set again',
      ),
  });
  let onChanged = (): void => undefined;
  const keyDatasets = parts.add(
    await openKeyDatasets({ db, clock, pollMs: POLL_MS, onChanged: () => onChanged() }),
  );
  const keyOf = createKeyOf(keyInUse, ownKeys);

  /** What tools say to a tenant; those without a key of their own are told the same. */
  function notesFor(tenantId: string): PresetNotes {
    const isWithheld = (name: string): boolean => {
      const keys = ownKeys.of(tenantId);
      return keys?.withheld.has(name) === true && !keys.own.has(name);
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
      ['', ...ownKeys.tenants()].map((tenantId) => {
        const { noteOn } = notesFor(tenantId);
        return [tenantId, catalog.presetEntries.map((entry) => noteOn(entry))];
      }),
    );
  let described = told();
  function describe(): void {
    described = told();
    catalog.describePresets(notesFor(''));
    catalog.describeTenants(new Map([...ownKeys.tenants()].map((id) => [id, notesFor(id)])));
  }
  describe();
  return {
    fingerprint,
    keyInUse,
    keyOf,
    keyDatasets,
    ownKeys,
    ownKeyStore,
    maySend: createMaySend(catalog, PUBLIC_DATA_TOOLS.families),
    keyOrigins: (tenantId: string) => readKeyOrigins(db, tenantId),
    /** Describes the tools again, because other keys are set. */
    describe,
    ...createKeyObserver({
      keyDatasets,
      clock,
      judge: { refusalOf: keyRefusalOf, provesKey, hintOf: readinessHint },
    }),
    /** Calls the listener whenever the tools have other descriptions. */
    follow(listener: () => void): void {
      const tell = (): void => {
        if (told() === described) return;
        describe();
        listener();
      };
      const gather = parts.add(createGather(tell));
      onChanged = () => (ownKeys.isEmpty() ? tell() : gather.soon());
    },
  };
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
