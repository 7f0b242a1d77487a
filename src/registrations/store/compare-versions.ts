import { own } from '../../platform/kernel/plain-json.ts';
import type { CompiledRegistration, ToolTraits } from '../steps/registration-steps.ts';
import type { RegistrationVersion } from './registration-record.ts';

const PARTS = ['description', 'parameters', 'request', 'origin'] as const;

/** How the tools of two versions differ (docs/contract.md#registration). */
export type VersionChanges = Readonly<ReturnType<typeof compareVersions>>;

/** The tools of a version, and the texts that a person wrote for them, which count as part of their descriptions. */
export type ToolTexts = Pick<RegistrationVersion, 'tools' | 'descriptions'>;

type Traits = CompiledRegistration['traits'];

/** Compares the tools of two versions, whose descriptions compile to these traits today. */
export function compareVersions(
  before: ToolTexts,
  traitsBefore: Traits,
  after: ToolTexts,
  traitsAfter: Traits,
) {
  const earlier = new Set(before.tools.map(({ compiled }) => compiled));
  const later = new Set(after.tools.map(({ compiled }) => compiled));
  const changedParts = (compiled: string): readonly (typeof PARTS)[number][] => {
    const [one, other] = [traitsBefore, traitsAfter].map(
      (traits) => own(traits, compiled) as ToolTraits | undefined,
    );
    const [text, otherText] = [before, after].map((each) => own(each.descriptions, compiled));
    return PARTS.filter(
      (part) => one?.[part] !== other?.[part] || (part === 'description' && text !== otherText),
    );
  };
  return {
    /** Names as they are listed. */
    added: after.tools.filter(({ compiled }) => !earlier.has(compiled)).map(({ name }) => name),
    removed: before.tools.filter(({ compiled }) => !later.has(compiled)).map(({ name }) => name),
    changed: after.tools
      .filter(({ compiled }) => earlier.has(compiled))
      .map(({ compiled, name }) => ({ tool: name, parts: changedParts(compiled) }))
      .filter(({ parts }) => parts.length > 0),
  };
}

export const hasChanges = ({ added, removed, changed }: VersionChanges): boolean =>
  added.length + removed.length + changed.length > 0;
