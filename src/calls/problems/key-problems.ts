import type { ReadinessState } from '../../access/provider-keys/readiness.ts';
import type { DatasetView } from '../provider-keys/datasets.ts';
import type { KeyState } from '../provider-keys/key-state.ts';
import { type BrokenTool, lossesOf } from './broken-tools.ts';
import type { FailingCause } from './failing-tools.ts';
import { NOTHING_ELSE, type Problem } from './problem.ts';

/** A provider key as its holder sees it. */
export interface HeldKey {
  readonly name: string;
  readonly owner: 'tenant' | 'operator';
  readonly state: KeyState;
  readonly datasets: readonly DatasetView[];
}

/** A problem of a key, and the tools that fail because of it. */
interface KeyProblem {
  readonly problem: Problem;
  readonly explains: (tool: BrokenTool) => boolean;
}

type Refusal = Pick<Problem, 'cause' | 'repair'>;

const REPLACE: Refusal = { cause: 'operator_key', repair: 'replace_key' };

/** The states in which another key, or an approval, makes calls succeed. */
const REFUSALS: Readonly<Partial<Record<ReadinessState, Refusal>>> = {
  wrong_key: REPLACE,
  blocked: REPLACE,
  expired: { cause: 'operator_key', repair: 'extend' },
  not_applied: { cause: 'not_approved', repair: 'apply' },
};

/** A quota of which so much is used is a problem, in percent. */
const QUOTA_PERCENT = 80;

const REFUSED: readonly FailingCause[] = ['operator_key', 'not_approved'];
const USED_UP: readonly FailingCause[] = ['quota'];

/** What is wrong with a key: each refusal once, for all datasets that have it. */
export const refusalsOf = (key: HeldKey): KeyProblem[] => {
  const groups = Map.groupBy(key.datasets, ({ state }) => REFUSALS[state]);
  const refused = [...groups].flatMap(([refusal, datasets]) =>
    refusal ? problemOf(key, datasets, { kind: 'provider_key', ...refusal }, REFUSED) : [],
  );
  if (key.state !== 'unreadable') return refused;
  return [problemOf(key, key.datasets, { kind: 'provider_key', ...REPLACE }, REFUSED)];
};

/** The quotas of a key of which most is used, and those that are used up. */
export const quotasOf = (key: HeldKey): KeyProblem[] =>
  key.datasets.flatMap((dataset) => {
    const { quota, state } = dataset;
    const isUsedUp = state === 'exhausted' || quota?.remaining === 0;
    const used = quota?.limit ? Math.floor((100 * quota.used) / quota.limit) : 0;
    const percent = isUsedUp ? 100 : Math.min(used, 99);
    if (percent < QUOTA_PERCENT) return [];
    const cause = isUsedUp ? 'quota' : null;
    const endsAt = quota?.resetsAt ?? null;
    const more = { kind: 'quota', cause, repair: 'raise_quota', percent, endsAt } as const;
    return problemOf(key, [dataset], more, USED_UP);
  });

function problemOf(
  { name, owner }: HeldKey,
  datasets: readonly DatasetView[],
  more: Pick<Problem, 'kind' | 'cause' | 'repair'> & Partial<Problem>,
  causes: readonly FailingCause[],
): KeyProblem {
  const [dataset] = datasets;
  const only = datasets.length === 1 && dataset ? dataset : null;
  const tools = new Set(datasets.flatMap((each) => each.tools));
  const times = datasets.flatMap(({ since, state }) => (state === 'works' ? [] : (since ?? [])));
  return {
    problem: {
      ...NOTHING_ELSE,
      ...{
        id: name,
        name,
        providerKey: name,
        dataset: only?.title ?? null,
        datasets: datasets.length,
      },
      since: times.sort()[0] ?? null,
      applyUrl: only?.applyUrl ?? null,
      by: owner === 'tenant' ? 'admin' : 'operator',
      ...more,
    },
    explains: ({ key, cause, entry }) =>
      key?.name === name &&
      key.owner === owner &&
      causes.includes(cause) &&
      tools.has(entry.tool.name),
  };
}

/** Adds to each problem of a key the calls that it cost. `rest` are the tools that fail for another reason. */
export function explain(problems: readonly KeyProblem[], broken: readonly BrokenTool[]) {
  let rest = broken;
  const explained = problems.map(({ problem, explains }) => {
    const its = rest.filter(explains);
    if (its.length === 0) return problem;
    rest = rest.filter((tool) => !explains(tool));
    return { ...problem, ...lossesOf(its) };
  });
  return { problems: explained, rest };
}
