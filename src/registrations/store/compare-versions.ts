import { own } from '../../platform/kernel/plain-json.ts';
import type { CompiledRegistration, ToolTraits } from '../steps/registration-steps.ts';
import type { RegistrationVersion } from './registration-record.ts';

const PARTS = ['description', 'parameters', 'request', 'origin'] as const;

export type ToolPart = (typeof PARTS)[number];

/** How the tools of two versions differ (docs/contract.md#registration). */
export interface VersionChanges {
  /** Names as they are listed. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly { readonly tool: string; readonly parts: readonly ToolPart[] }[];
}

/** A version with what its description compiles to today. */
export interface ComparedVersion {
  readonly version: Pick<RegistrationVersion, 'tools' | 'descriptions'>;
  readonly traits: CompiledRegistration['traits'];
}

/** Compares the tools of two versions. A text that a person wrote counts as part of the description. */
export function compareVersions(before: ComparedVersion, after: ComparedVersion): VersionChanges {
  const earlier = new Map(before.version.tools.map((tool) => [tool.compiled, tool.name]));
  const later = new Set(after.version.tools.map(({ compiled }) => compiled));
  return {
    added: after.version.tools.flatMap(({ compiled, name }) =>
      earlier.has(compiled) ? [] : [name],
    ),
    removed: before.version.tools.flatMap(({ compiled, name }) =>
      later.has(compiled) ? [] : [name],
    ),
    changed: after.version.tools.flatMap(({ compiled, name }) => {
      const parts = earlier.has(compiled) ? changedParts(compiled, before, after) : [];
      return parts.length > 0 ? [{ tool: name, parts }] : [];
    }),
  };
}

function changedParts(
  compiled: string,
  before: ComparedVersion,
  after: ComparedVersion,
): readonly ToolPart[] {
  const one = traitsOf(before, compiled);
  const other = traitsOf(after, compiled);
  const isEdited = textOf(before, compiled) !== textOf(after, compiled);
  return PARTS.filter(
    (part) => one?.[part] !== other?.[part] || (part === 'description' && isEdited),
  );
}

const traitsOf = ({ traits }: ComparedVersion, compiled: string) =>
  own(traits, compiled) as ToolTraits | undefined;

const textOf = ({ version }: ComparedVersion, compiled: string): unknown =>
  own(version.descriptions, compiled);

export const hasChanges = ({ added, removed, changed }: VersionChanges): boolean =>
  added.length + removed.length + changed.length > 0;
