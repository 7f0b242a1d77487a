import { type Awaitable, whenReady } from '../../platform/kernel/awaitable.ts';
import type { ArgumentIssue } from '../../platform/kernel/error.ts';
import type { Tool } from '../model.ts';
import { createArgumentValidator } from './argument-validator.ts';
import { codeKindsOf } from './code-kinds.ts';
import { type ArgumentRules, createMeaningReader } from './lenient-arguments.ts';
import type { Matching } from './matching.ts';
import type { ResolveCode } from './resolve-code.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** A caller's arguments after they were checked. */
export interface CheckedArguments {
  /** As they are meant; the same object if the schema takes them as they were received. */
  readonly given: Arguments;
  /** The same with schema defaults. */
  readonly checked: Record<string, unknown>;
  /** What is wrong with them, at most one issue for each path. Empty: they are valid. */
  readonly issues: readonly ArgumentIssue[];
}

/** Checks arguments against a tool's schema. Fails only if a name cannot be looked up, and changes nothing. */
export type ReadArguments = (
  received: Arguments,
  resolveCode: ResolveCode,
) => Awaitable<CheckedArguments>;

/** Creates the check of one tool. Arguments that do not fit are read as they are plainly meant, and checked again. */
export function createArgumentReader(rules: ArgumentRules, matching?: Matching): ReadArguments {
  const validate = createArgumentValidator(rules, matching);
  const readMeaning = createMeaningReader(rules, matching);
  return (received, resolveCode) => {
    const checked = { ...received };
    const issues = validate(checked);
    if (issues.length === 0) return { given: received, checked, issues };
    return whenReady(readMeaning(received, resolveCode), ({ args, issues: unclear }) => {
      const changed = { ...args };
      return { given: args, checked: changed, issues: withOthers(unclear, validate(changed)) };
    });
  };
}

/** The issues, and those of other arguments. */
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
  personal: tool.personal,
});
