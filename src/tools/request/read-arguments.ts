import { type Awaitable, whenReady } from '../../platform/kernel/awaitable.ts';
import type { ArgumentIssue } from '../../platform/kernel/error.ts';
import { fitsDouble } from '../../platform/kernel/exact-number.ts';
import type { Tool } from '../model.ts';
import { isInexact } from './argument-bounds.ts';
import { createArgumentValidator } from './argument-validator.ts';
import { type ExactPlace, rereadExact, roundArguments } from './exact-arguments.ts';
import {
  type ArgumentRules,
  type Arguments,
  codeKindsOf,
  createMeaningReader,
  type MeantArguments,
  valueNamesOf,
} from './lenient-arguments.ts';
import type { ResolveCode } from './resolve-code.ts';

/** A caller's arguments after they were checked. Without issues, at most one for each path, they are valid. */
export interface CheckedArguments extends MeantArguments {
  /** As they are meant, with the schema's defaults. */
  readonly checked: Record<string, unknown>;
  /** The numbers in `checked` that are doubles in place of what was written. */
  readonly exact?: readonly ExactPlace[];
}

/** Checks arguments against a tool's schema. Fails only if a name cannot be looked up, and changes nothing. */
export type ReadArguments = (
  received: Arguments,
  resolveCode: ResolveCode,
  exact?: readonly ExactPlace[],
) => Awaitable<CheckedArguments>;

/**
 * Creates the check of one tool. Arguments that do not fit are corrected where their meaning is plain, and checked again.
 * `validate` fills the schema's defaults into the object that it receives.
 */
export function createArgumentReader(
  rules: ArgumentRules,
  validate = createArgumentValidator(rules),
): ReadArguments {
  const readMeaning = createMeaningReader(rules);
  const check = (meant: Arguments, exact: readonly ExactPlace[] | undefined): CheckedArguments => {
    const checked = { ...meant };
    return { meant, checked, issues: validate(checked), ...(exact?.length ? { exact } : {}) };
  };
  return (received, resolveCode, exact) => {
    let first = check(received, exact);
    if (first.issues.length === 0) return first;
    if (exact === undefined && first.issues.some(isInexact)) {
      const { rounded, exact: long } = roundArguments(received);
      // Where digits are not kept, a fraction may be approximate; an integer would be another one.
      if (long.every(({ text }) => fitsDouble(text))) first = check(rounded, undefined);
    }
    const reread =
      exact &&
      rereadExact(
        { rounded: received, exact },
        first.issues.map(({ path }) => path),
      );
    if (reread) first = check(reread.rounded, reread.exact);
    if (first.issues.length === 0) return first;
    return whenReady(readMeaning(first.meant, resolveCode), ({ meant, issues: unclear }) => {
      const again = check(meant, first.exact);
      return { ...again, issues: withOthers(unclear, again.issues) };
    });
  };
}

export function withOthers(
  issues: readonly ArgumentIssue[],
  others: readonly ArgumentIssue[],
): readonly ArgumentIssue[] {
  if (issues.length === 0) return others;
  const known = new Set(issues.map(({ path }) => path));
  return [...issues, ...others.filter(({ path }) => !known.has(path))];
}

export const rulesOf = (tool: Tool): ArgumentRules => ({
  inputSchema: tool.inputSchema,
  // Of registered tools alone: for presets and the gateway's own, null is always absent.
  ...(tool.filled ? { filled: tool.filled, bodyMembers: tool.body?.lifted ?? [] } : {}),
  codeKinds: codeKindsOf(tool),
  valueNames: valueNamesOf(tool),
  personal: tool.personal,
});
