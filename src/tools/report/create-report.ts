import type { CompiledDocument } from '../compile/compile-document.ts';
import type { OperationOutcome } from '../compile/compile-outcome.ts';
import type { Warning } from '../compile/warning-list.ts';
import { listCost } from './list-cost.ts';
import { readTools } from './read-tools.ts';
import { type ScoreParts, scoreOf } from './score.ts';
import { warningsOf } from './tool-warnings.ts';

/** What a person should know about an API description before its tools are used (docs/openapi-report.md). */
export interface ApiReport {
  /** How well the description serves a model: 0 to 100, the sum of `scoreParts`. */
  readonly score: number;
  readonly scoreParts: ScoreParts;
  /** Number of tools. */
  readonly tools: number;
  /** Estimate of the tokens that a list of these tools costs a model with every request. */
  readonly tokens: number;
  /** Of all operations of the document, also of those that were not selected; at most 100. */
  readonly tags: readonly string[];
  /** One entry per operation, in the document's order. */
  readonly operations: readonly OperationOutcome[];
  readonly warnings: readonly Warning[];
}

/** The report on a compiled document. */
export function createReport({ api, operations, tags, warnings }: CompiledDocument): ApiReport {
  const tools = readTools(api.tools, operations);
  const scoreParts = scoreOf(tools, operations);
  return {
    score: Object.values(scoreParts).reduce((sum, points) => sum + points, 0),
    scoreParts,
    tools: api.tools.length,
    tokens: listCost(api.tools),
    tags,
    operations,
    warnings: [...warningsOf(tools), ...warnings],
  };
}
