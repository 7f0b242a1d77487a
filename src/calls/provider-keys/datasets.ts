import type { KeyDatasets } from '../../access/provider-keys/key-datasets.ts';
import type { ReadinessState } from '../../access/provider-keys/readiness.ts';
import { closest } from '../../platform/kernel/closest.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { isoTime, isoTimeOrNull } from '../../platform/kernel/time.ts';
import type { Catalog } from '../../tools/catalog/catalog.ts';
import type { CatalogEntry, NoteOn } from '../../tools/catalog-entry.ts';
import type { KeyInUse } from '../../tools/tool-connection.ts';
import {
  type DatasetQuota,
  type QuotaReading,
  readQuotas,
  type Viewer,
} from '../quotas/quota-figures.ts';
import { entriesOf, type KeyServer, serversOf } from './key-users.ts';

type Presets = Pick<Catalog, 'presetEntries'>;

/** What a provider approves a key for: a dataset of a portal, or all that one preset needs. */
export interface Dataset {
  readonly id: string;
  readonly title: string;
  /** Names of its tools. */
  readonly tools: readonly string[];
  /** Where to apply for it; null if no preset says. */
  readonly applyUrl: string | null;
}

export interface DatasetView extends Dataset {
  readonly state: ReadinessState;
  /** ISO 8601; null for `unknown`, and for a quota that is used up by the gateway's count. */
  readonly since: string | null;
  /** What the provider said; null for `works` and `unknown`. */
  readonly evidence: {
    readonly code: string | null;
    readonly at: string;
    readonly text: string | null;
  } | null;
  /** Its use today; null without any. */
  readonly quota: DatasetQuota | null;
}

type InDataset = Pick<CatalogEntry, 'tool' | 'server'>;

/** The dataset that a tool reads. */
export const datasetIdOf = ({ tool, server }: InDataset): string =>
  tool.source.datasetId ?? server.id;

/** The datasets for which a key is sent, sorted by id. */
export function datasetsOf(
  presets: Presets,
  keyName: string,
  registered: readonly CatalogEntry[] = [],
): Dataset[] {
  const servers = new Map(serversOf(presets, keyName).map((server) => [server.id, server]));
  const entries = [...entriesOf(presets, keyName), ...registered];
  const byDataset = Map.groupBy(entries, datasetIdOf);
  return [...byDataset]
    .map(([id, members]) => datasetOf(id, members, servers))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

function datasetOf(
  id: string,
  members: readonly CatalogEntry[],
  servers: ReadonlyMap<string, KeyServer>,
): Dataset {
  const [first] = members;
  const page = members.find(({ tool }) => tool.source.docUrl !== null)?.tool.source.docUrl;
  return {
    id,
    title: first?.server.name || id,
    tools: members.map(({ tool }) => tool.name),
    applyUrl: page ?? servers.get(first?.server.id ?? '')?.url ?? null,
  };
}

/** A dataset by its id. Throws `not_found`, with the nearest id. */
export function findDataset(presets: Presets, keyName: string, id: string): Dataset {
  const datasets = datasetsOf(presets, keyName);
  const found = datasets.find((dataset) => dataset.id === id);
  if (found) return found;
  const ids = datasets.map((dataset) => dataset.id);
  const meant = closest(id, ids);
  const help = meant ? `Did you mean ${meant}?` : `Datasets: ${ids.slice(0, 50).join(', ')}.`;
  throw new GatewayError(
    'not_found',
    `No tool sends ${keyName} for a dataset ${JSON.stringify(id.slice(0, 100))}. ${help}`,
  );
}

/** The key whose datasets are shown; without one in use, it is not set, and every state is `unknown`. */
export interface ShownKey {
  readonly name: string;
  readonly key: KeyInUse | undefined;
  readonly viewer: Viewer;
  /** The tenant's own APIs that send the key. */
  readonly registered?: readonly CatalogEntry[];
}

export interface DatasetViewDeps {
  readonly catalog: Presets;
  readonly keyDatasets: Pick<KeyDatasets, 'latestOf'>;
  readonly quotas: QuotaReading;
}

/** The datasets of a key, each with its state: of the operator's key or of a tenant's own. */
export async function viewDatasets(
  { catalog, keyDatasets, quotas }: DatasetViewDeps,
  { name, key, viewer, registered = [] }: ShownKey,
): Promise<DatasetView[]> {
  const datasets = datasetsOf(catalog, name, registered);
  if (key === undefined) {
    const nothing = { state: 'unknown', since: null, evidence: null, quota: null } as const;
    return datasets.map((dataset) => ({ ...dataset, ...nothing }));
  }
  const entries = [...entriesOf(catalog, name), ...registered];
  const quotaOf = await readQuotas(quotas, entries, { key, viewer });
  return datasets.map((dataset) => {
    const id = { fingerprint: key.fingerprint, name, dataset: dataset.id };
    const { state, sinceMs, evidence } = keyDatasets.latestOf(id);
    const quota = quotaOf(entries.filter((entry) => datasetIdOf(entry) === dataset.id));
    const isUsedUp = quota?.remaining === 0 && (state === 'works' || state === 'unknown');
    return {
      ...dataset,
      state: isUsedUp ? 'exhausted' : state,
      since: isUsedUp ? null : isoTimeOrNull(sinceMs),
      evidence: evidence && {
        code: evidence.code,
        at: isoTime(evidence.atMs),
        text: evidence.text,
      },
      quota,
    };
  });
}

/** States in which another key, or an approval of this one, makes calls succeed. */
const WAITS_FOR_KEY: readonly ReadinessState[] = [
  'not_applied',
  'propagating',
  'wrong_key',
  'expired',
  'blocked',
];
const CANNOT_BE_USED: readonly ReadinessState[] = ['withdrawn', 'exhausted'];

interface KeysInUse {
  readonly keyDatasets: Pick<KeyDatasets, 'readinessOf'>;
  readonly keyOf: (tenantId: string) => (name: string) => KeyInUse | undefined;
}

/** Whether a tenant's calls of a tool have the keys that they need, as far as the provider has said. */
export function keysStateOf(
  { keyDatasets, keyOf }: KeysInUse,
  tenantId: string,
  entry: Pick<CatalogEntry, 'tool' | 'server' | 'connection'>,
): 'usable' | 'missing' | 'unusable' {
  const connection = entry.connection?.current?.() ?? entry.connection;
  const keyInUse = connection ? connection.keyInUse : keyOf(tenantId);
  const states = entry.tool.secrets.map((secret) => {
    const key = keyInUse?.(secret);
    const id = key && {
      ...{ fingerprint: key.fingerprint, name: key.name },
      dataset: datasetIdOf(entry),
    };
    return id && keyDatasets.readinessOf(id).state;
  });
  if (states.some((state) => !state || WAITS_FOR_KEY.includes(state))) return 'missing';
  return states.some((state) => state && CANNOT_BE_USED.includes(state)) ? 'unusable' : 'usable';
}

/** Whose key cannot be used, and who does something about it. */
interface Whose {
  readonly key: string;
  readonly owner: string;
}

const OPERATORS: Whose = { key: "the gateway's key", owner: 'the operator' };
const TENANTS: Whose = { key: "your tenant's key", owner: 'your tenant' };

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** What a tool says of a dataset that the key cannot be used for. */
const NOTES: Readonly<Record<ReadinessState, ((whose: Whose) => string) | undefined>> = {
  works: undefined,
  unknown: undefined,
  not_applied: ({ key, owner }) =>
    `${capitalised(key)} is not approved for this dataset: calls fail until ${owner} applies for it`,
  propagating: () =>
    'This dataset has been applied for: calls may fail until the provider has activated the approval, within 72 hours',
  wrong_key: ({ key, owner }) =>
    `The provider does not accept ${key}: calls fail until ${owner} sets another one`,
  expired: ({ owner }) =>
    `The period for which this dataset was approved has ended: calls fail until ${owner} extends it`,
  blocked: ({ key, owner }) =>
    `The provider has blocked ${key}: calls fail until ${owner} asks why`,
  withdrawn: () => 'The provider has withdrawn this operation: calls fail',
  exhausted: ({ key }) =>
    `The quota of ${key} is used up for today: calls may fail until its reset`,
};

/** States in which the page of the dataset helps. */
const WITH_PAGE: readonly ReadinessState[] = ['not_applied', 'propagating', 'expired'];

export interface ReadinessNotesDeps {
  readonly keyDatasets: Pick<KeyDatasets, 'readinessOf'>;
  /** The key that is sent. */
  readonly keyInUse: (name: string) => KeyInUse | undefined;
  /** Whether the tenant must bring this key, and has not. */
  readonly isWithheld: (name: string) => boolean;
}

/** Creates the notes on tools whose key cannot be used. They change only when a state or a key does. */
export const createReadinessNotes =
  ({ keyDatasets, keyInUse, isWithheld }: ReadinessNotesDeps): NoteOn =>
  (entry) => {
    for (const name of entry.tool.secrets) {
      if (isWithheld(name))
        return `Calls fail until your tenant stores its own key: PUT /api/v1/provider-keys/${name}.`;
      const key = keyInUse(name);
      if (key === undefined) continue;
      const { fingerprint } = key;
      const { state } = keyDatasets.readinessOf({ fingerprint, name, dataset: datasetIdOf(entry) });
      const note = NOTES[state]?.(key.tenantId === null ? OPERATORS : TENANTS);
      if (note === undefined) continue;
      const { docUrl } = entry.tool.source;
      return docUrl && WITH_PAGE.includes(state) ? `${note} (${docUrl}).` : `${note}.`;
    }
    return undefined;
  };
