import { type Static, Type } from 'typebox';
import { INTEGER, list, orNull, TEXT, TIME } from '../../platform/input/schema.ts';
import { type FailingCause, MAX_FAILING } from './failing-tools.ts';

const oneOf = <Value extends string>(values: readonly Value[], description: string) =>
  Type.Unsafe<Value>({ enum: [...values], description });

const CAUSES: readonly (FailingCause | null)[] = [
  ...(['operator_key', 'not_approved', 'quota', 'rate', 'upstream', 'network', null] as const),
];

const time = (description: string) => orNull(Type.String({ format: 'date-time', description }));

/** Tools that a problem names: all that fail for a tenant. */
export const MAX_TOOLS = MAX_FAILING;

/** Something that does not work, or will not for long, and what to do about it. */
export const PROBLEM = Type.Object(
  {
    kind: oneOf(['tool', 'api', 'provider_key', 'quota', 'api_key', 'tenant'], 'What has it.'),
    id: Type.String({
      description:
        'Of the tool, or of the preset if several of its tools fail; of the registration or the API key; the name of the provider key; the slug of the tenant.',
    }),
    name: TEXT,
    providerKey: orNull(Type.String({ description: 'Name of the provider key that has it.' })),
    dataset: orNull(
      Type.String({ description: 'Title of the dataset, if a key has it with one only.' }),
    ),
    datasets: Type.Integer({ description: 'Datasets of the key that have it.' }),
    since: time('When it began, as far as it is known.'),
    cause: Type.Unsafe<FailingCause | null>({ enum: [...CAUSES] }),
    status: orNull(Type.Integer({ description: 'HTTP status of the last response.' })),
    calls: Type.Integer({ description: 'Calls that failed since then.' }),
    tools: list(Type.Object({ id: TEXT, name: TEXT, since: TIME, calls: INTEGER }), MAX_TOOLS),
    toolCount: Type.Integer({ description: 'Tools whose calls fail.' }),
    percent: orNull(Type.Integer({ description: 'Part of the quota that is used.' })),
    endsAt: time('When the API key ends, or the quota starts again.'),
    applyUrl: orNull(Type.String({ description: 'Where the provider approves a dataset.' })),
    repair: oneOf(
      [
        ...(['apply', 'extend', 'replace_key', 'replace_credential', 'raise_quota'] as const),
        ...(['renew', 'check_api', 'wait', 'look'] as const),
      ],
      'What to do. `extend`: an approval that has ended. `look`: at the problems of the tenant.',
    ),
    by: oneOf(
      ['admin', 'operator', 'provider'],
      'Who does it: an admin of the tenant, an operator, or nobody but the provider.',
    ),
  },
  { $id: 'Problem' },
);

export type Problem = Static<typeof PROBLEM>;

/** What most problems do not have. */
export const NOTHING_ELSE = {
  ...{ providerKey: null, dataset: null, datasets: 0, since: null, cause: null, status: null },
  ...{ calls: 0, tools: [], toolCount: 0, percent: null, endsAt: null, applyUrl: null },
} satisfies Partial<Problem>;

/** Problems of one list. */
export const MAX_PROBLEMS = 100;
/** Calls that are lost come first, the most first; then what cannot be used, and what will end, the nearest first. */
export const mostUrgent = (problems: readonly Problem[]): readonly Problem[] =>
  problems.toSorted(byUrgency).slice(0, MAX_PROBLEMS);

const RANKS: Readonly<Record<Problem['kind'], number>> = {
  ...{ tool: 1, api: 1, tenant: 2, provider_key: 3, quota: 4, api_key: 5 },
};

const rankOf = ({ kind, calls }: Problem): number =>
  calls > 0 && kind !== 'tenant' ? 0 : RANKS[kind];

const byUrgency = (a: Problem, b: Problem): number =>
  rankOf(a) - rankOf(b) ||
  b.calls - a.calls ||
  (b.percent ?? 0) - (a.percent ?? 0) ||
  (a.endsAt ?? '').localeCompare(b.endsAt ?? '');
