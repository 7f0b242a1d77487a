import type { OperationOutcome } from '../compile/compile-outcome.ts';
import type { ToolFacts } from './read-tools.ts';

/** The most points of each part of the score; together 100. */
export const SCORE_WEIGHTS = {
  /** Operations that became tools. */
  callable: 50,
  /** Tools that are as the document describes them. */
  unchanged: 10,
  /** Tools whose operation has a description or summary. */
  described: 20,
  /** Arguments that have a description. */
  arguments: 10,
  /** Tools whose operation has an operationId that fits a tool name. */
  named: 10,
} as const;

/** The points of each part. */
export type ScoreParts = Readonly<Record<keyof typeof SCORE_WEIGHTS, number>>;

/** The score of a document. Points are rounded down, so that only a flawless part has all of its points. */
export function scoreOf(
  tools: readonly ToolFacts[],
  operations: readonly OperationOutcome[],
): ScoreParts {
  const points = (part: keyof ScoreParts, achieved: number, possible: number): number =>
    possible === 0 ? 0 : Math.floor((SCORE_WEIGHTS[part] * achieved) / possible);
  const ofTools = (part: keyof ScoreParts, test: (tool: ToolFacts) => boolean): number =>
    points(part, tools.filter(test).length, tools.length);
  const argumentCount = sum(tools, (tool) => tool.argumentCount);
  const describedArguments = sum(tools, (tool) => tool.describedArguments);
  return {
    callable: points('callable', tools.length, operations.length),
    unchanged: ofTools('unchanged', ({ outcome }) => outcome.outcome === 'accepted'),
    described: ofTools('described', (tool) => tool.isDescribed),
    // Tools without arguments have nothing to describe.
    arguments:
      argumentCount === 0
        ? ofTools('arguments', () => true)
        : points('arguments', describedArguments, argumentCount),
    named: ofTools('named', (tool) => tool.isNamed),
  };
}

const sum = (tools: readonly ToolFacts[], measure: (tool: ToolFacts) => number): number =>
  tools.reduce((total, tool) => total + measure(tool), 0);
