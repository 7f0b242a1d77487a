import { type Awaitable, whenReady } from '../../platform/kernel/awaitable.ts';
import type { ArgumentIssue } from '../../platform/kernel/error.ts';
import type { Tool } from '../model.ts';
import { createArgumentValidator } from './argument-validator.ts';
import {
  type ArgumentRules,
  type Arguments,
  codeKindsOf,
  createMeaningReader,
  type MeantArguments,
  valueNamesOf,
} from './lenient-arguments.ts';
import type { Matching } from './matching.ts';
import type { ResolveCode } from './resolve-code.ts';

/** A caller's arguments after they were checked. Without issues, at most one for each path, they are valid. */
export interface CheckedArguments extends MeantArguments {
  /** As they are meant, with the schema's defaults. */
  readonly checked: Record<string, unknown>;
}

/** Checks arguments against a tool's schema. Fails only if a name cannot be looked up, and changes nothing. */
export type ReadArguments = (
  received: Arguments,
  resolveCode: ResolveCode,
) => Awaitable<CheckedArguments>;

/** Creates the check of one tool. Arguments that do not fit are corrected where their meaning is plain, and checked again. */
export function createArgumentReader(rules: ArgumentRules, matching?: Matching): ReadArguments {
  const validate = createArgumentValidator(rules, matching);
  const readMeaning = createMeaningReader(rules, matching);
  return (received, resolveCode) => {
    const checked = { ...received };
    const issues = validate(checked);
    if (issues.length === 0) return { meant: received, checked, issues };
    return whenReady(readMeaning(received, resolveCode), ({ meant, issues: unclear }) => {
      const again = { ...meant };
      return { meant, checked: again, issues: withOthers(unclear, validate(again)) };
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
  codeKinds: codeKindsOf(tool),
  valueNames: valueNamesOf(tool),
  personal: tool.personal,
});
