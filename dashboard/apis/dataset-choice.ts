import type { AdminAnswer, AdminInput } from '../api/call-admin.ts';

export type Proposal = AdminAnswer<'POST /tenants/:tenant/proposals'>;
export type Proposed = Proposal['proposals'][number];
export type Tested = AdminAnswer<'POST /tenants/:tenant/proposals/:id/test'>;
type Extensions = NonNullable<AdminInput<'POST /tenants/:tenant/registrations'>['extensions']>;

/** What a person has decided about a proposal. */
export interface Choice {
  /** Ids of the proposals that hold. */
  readonly on: ReadonlySet<string>;
  /** `GET /path` of the operations that become tools. */
  readonly operations: ReadonlySet<string>;
  /** What tests have corrected, by the id of the proposal. */
  readonly corrected: ReadonlyMap<string, unknown>;
}

/** All but what is only offered, and no older revision of a file. */
export function firstChoice({ proposals, operations }: Proposal): Choice {
  const older = new Set(
    proposals.flatMap(({ extension, operation }) => (extension === EXCLUDE ? operation : [])),
  );
  return {
    on: new Set(proposals.flatMap(({ id, confidence }) => (confidence === 'low' ? [] : id))),
    operations: new Set(
      operations.flatMap(({ operation }) => (older.has(operation) ? [] : operation)),
    ),
    corrected: new Map(),
  };
}

const EXCLUDE = 'x-exclude';

/** The proposals that a person decides about one by one: which operations become tools is decided beside their names. */
export const decisions = ({ proposals }: Proposal, operation: string | null): Proposed[] =>
  proposals.filter((each) => each.operation === operation && each.extension !== EXCLUDE);

/** The value of a proposal, as a test has corrected it. */
export const valueIn = ({ corrected }: Choice, { id, value }: Proposed): unknown =>
  corrected.has(id) ? corrected.get(id) : value;

/** The extensions of the registration. */
export function extensionsIn({ proposals, operations }: Proposal, choice: Choice): Extensions {
  const left = operations.filter(({ operation }) => !choice.operations.has(operation));
  return [
    ...proposals
      .filter(({ id, extension, operation }) => {
        const isKept = operation === null || choice.operations.has(operation);
        return isKept && extension !== EXCLUDE && choice.on.has(id);
      })
      .map((each) => ({
        operation: each.operation,
        extension: each.extension,
        value: valueIn(choice, each),
      })),
    ...left.map(({ operation }) => ({ operation, extension: EXCLUDE, value: true })),
  ];
}

/** The choice with what a test has corrected. */
export function withCorrections(
  { proposals }: Proposal,
  choice: Choice,
  corrections: Tested['corrections'],
): Choice {
  const corrected = new Map(choice.corrected);
  for (const { operation, extension, value } of corrections) {
    const found = proposals.find(
      (each) => each.operation === operation && each.extension === extension,
    );
    if (found) corrected.set(found.id, value);
  }
  return { ...choice, corrected };
}

/** A value for people: texts as they are, everything else as JSON. */
export const shownValue = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);
