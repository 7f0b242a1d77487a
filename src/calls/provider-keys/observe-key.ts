import type { KeyDataset, KeyDatasets } from '../../access/provider-keys/key-datasets.ts';
import type { ReadinessState } from '../../access/provider-keys/readiness.ts';
import type { KeyRefusal } from '../../platform/kernel/cause.ts';
import type { Secret } from '../../platform/kernel/secret.ts';
import { type Clock, zonedDay } from '../../platform/kernel/time.ts';
import type { KeyInUse } from '../../tools/tool-connection.ts';
import { isFailure, type UpstreamResponse } from '../../upstreams/payload/upstream-response.ts';
import type { KeyUse, ObserveKey } from '../look-up.ts';
import { datasetIdOf } from './datasets.ts';

/** States in which the operator must act on the page of the dataset. */
type ToldState = Extract<ReadinessState, 'not_applied' | 'propagating' | 'expired'>;

/** What is known of the refusals of providers. */
export interface KeyJudge {
  /** What a failure says about the key; undefined if nothing. */
  readonly refusalOf: (keyName: string, response: UpstreamResponse) => KeyRefusal | undefined;
  /** Whether a failure shows that the key is accepted. */
  readonly provesKey: (keyName: string, response: UpstreamResponse) => boolean;
  /** What to do about a state, with the page where to do it; undefined where the result code says it all. */
  readonly hintOf: (state: ToldState, page: string | null) => string | undefined;
}

export interface KeyObserverDeps {
  readonly keyDatasets: Pick<KeyDatasets, 'report' | 'readinessOf' | 'isKnownElsewhere'>;
  readonly judge: KeyJudge;
  readonly clock: Clock;
}

/** Since midnight, a refusal for quota may still concern the day before. */
const MIDNIGHT_MS = 5 * 60_000;
const DEFAULT_ZONE = 'Asia/Seoul';

export interface KeyObserver {
  readonly observeKey: ObserveKey;
  /** Whether a refusal must be seen, because no dataset accepts the key: a last good response must not hide it. */
  readonly isWrongKey: (use: KeyUse, response: UpstreamResponse) => boolean;
}

export function createKeyObserver({ keyDatasets, judge, clock }: KeyObserverDeps): KeyObserver {
  function learnRefusal(use: KeyUse, id: KeyDataset, response: UpstreamResponse): void {
    const kind = judge.refusalOf(id.name, response);
    if (kind === undefined) return;
    const { code = null, message: text = null } = response;
    const evidence = { atMs: clock.now(), code: code ?? statusOf(response), text };
    if (kind !== 'exhausted') {
      keyDatasets.report(id, { kind, ...evidence });
      return;
    }
    const { startMs, endMs } = zonedDay(evidence.atMs, use.entry.tool.quota?.zone ?? DEFAULT_ZONE);
    if (evidence.atMs - startMs < MIDNIGHT_MS) return;
    keyDatasets.report(id, { kind, ...evidence, untilMs: endMs });
  }

  const observeKey: ObserveKey = (use, response) => {
    const names = use.entry.tool.secrets;
    if (names.length === 0 || !use.connection.keyInUse) return response;
    const ids = names.flatMap((name) => keyDatasetOf(use, use.connection.keyInUse?.(name)));
    const [id] = ids;
    if (!id) return response;
    if (!isFailure(response) || judge.provesKey(id.name, response)) {
      for (const each of ids) keyDatasets.report(each, { kind: 'good', atMs: clock.now() });
      return response;
    }
    // Of several keys, a refusal does not say which one it means.
    if (names.length > 1) return response;
    learnRefusal(use, id, response);
    return explain(use, id, response);
  };

  return {
    observeKey,
    isWrongKey(use, response) {
      const [name = ''] = use.entry.tool.secrets;
      const [id] = keyDatasetOf(use, use.connection.keyInUse?.(name));
      if (!id || judge.refusalOf(name, response) !== 'unknown_key') return false;
      return keyDatasets.readinessOf(id).state === 'wrong_key';
    },
  };

  /** Says of a refusal what the other datasets of the key say about it, and where to do something about it. */
  function explain(use: KeyUse, id: KeyDataset, response: UpstreamResponse): UpstreamResponse {
    const refusal = judge.refusalOf(id.name, response);
    const state = refusal && stateOf(id, refusal);
    if (!state) return response;
    const { publicData } = response;
    const hint = judge.hintOf(state, use.entry.tool.source.docUrl);
    const isUnapproved = state === 'not_applied' || state === 'propagating';
    return {
      ...response,
      ...(isUnapproved && { cause: 'not_approved' as const }),
      ...(publicData && hint && { publicData: { ...publicData, hint } }),
    };
  }

  /** What this refusal means, even if one alone does not change the state yet. */
  function stateOf(id: KeyDataset, refusal: KeyRefusal): ToldState | undefined {
    if (refusal === 'expired') return 'expired';
    const isUnapproved =
      refusal === 'not_approved' || (refusal === 'unknown_key' && keyDatasets.isKnownElsewhere(id));
    if (!isUnapproved) return undefined;
    return keyDatasets.readinessOf(id).state === 'propagating' ? 'propagating' : 'not_applied';
  }
}

const keyDatasetOf = ({ entry }: KeyUse, key: KeyInUse | undefined): KeyDataset[] =>
  key ? [{ fingerprint: key.fingerprint, name: key.name, dataset: datasetIdOf(entry) }] : [];

/** The status stands for the code of a refusal that has none. */
const statusOf = ({ status }: UpstreamResponse): string | null =>
  status >= 400 ? `HTTP ${status}` : null;

/** The operator's keys as calls send them. */
export function createOperatorKeys(
  secretOf: (name: string) => Secret | undefined,
  fingerprint: (secret: Secret) => string,
): (name: string) => KeyInUse | undefined {
  const known = new Map<string, { readonly secret: Secret; readonly key: KeyInUse }>();
  return (name) => {
    const secret = secretOf(name);
    if (!secret) return undefined;
    const last = known.get(name);
    if (last?.secret === secret) return last.key;
    const key = { name, tenantId: null, fingerprint: fingerprint(secret) };
    known.set(name, { secret, key });
    return key;
  };
}
