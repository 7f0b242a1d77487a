import { isObject, own, ownObject, ownText } from '../../platform/kernel/plain-json.ts';
import { RESERVED_ARGUMENTS } from '../compile/compile-context.ts';
import { fallbackDescription } from '../compile/compile-operation.ts';
import type { OperationOutcome } from '../compile/compile-outcome.ts';
import { toolName, toolNameOfPath } from '../compile/tool-name.ts';
import { MAX_TOOL_NAME_LENGTH } from '../document/document-limits.ts';
import type { JsonSchema, Tool } from '../model.ts';

export type ToolFacts = ReturnType<typeof readTool>;

/** The facts of each tool, in the order of the operations. */
export function readTools(
  tools: readonly Tool[],
  operations: readonly OperationOutcome[],
): ToolFacts[] {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return operations.flatMap((outcome) => {
    const tool = byName.get(outcome.tool ?? '');
    return tool ? readTool(tool, outcome) : [];
  });
}

/** What the report measures about one tool. */
function readTool(tool: Tool, outcome: OperationOutcome) {
  const { operationId } = outcome;
  const schemas = Object.entries(ownObject(tool.inputSchema, 'properties'))
    .filter(([name]) => !RESERVED_ARGUMENTS.has(name))
    .map(([, schema]) => schema);
  const wanted =
    operationId === null ? toolNameOfPath(tool.method, tool.path) : toolName(operationId);
  const fallback = fallbackDescription(tool);
  return {
    outcome,
    /** Whether the document says what the operation does. */
    isDescribed: ![fallback, `Deprecated. ${fallback}`].includes(tool.description),
    argumentCount: schemas.length,
    describedArguments: schemas.filter(isDescribed).length,
    /** Whether the tool has the name that the document gives the operation. */
    isNamed: operationId !== null && tool.name === wanted,
    /** Whether the name was too long for a tool. */
    hasLongName: wanted.length > MAX_TOOL_NAME_LENGTH,
    hasOpenArrays: hasOpenArray(tool.inputSchema),
  };
}

const isDescribed = (schema: unknown): boolean =>
  isObject(schema) && (ownText(schema, 'description') ?? '').trim() !== '';

/** Members of a schema that hold values, not schemas. */
const VALUES = new Set(['default', 'examples', 'enum', 'const', 'required']);

/** Whether some array in a schema does not say what its elements are. */
function hasOpenArray(schema: JsonSchema): boolean {
  const isArray = [own(schema, 'type')].flat().includes('array');
  if (isArray && !Object.hasOwn(schema, 'items') && !Object.hasOwn(schema, 'prefixItems')) {
    return true;
  }
  return Object.entries(schema).some(([key, member]) => !VALUES.has(key) && isOpenWithin(member));
}

function isOpenWithin(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isOpenWithin);
  return isObject(value) && hasOpenArray(value);
}

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
  const sum = (measure: 'argumentCount' | 'describedArguments'): number =>
    tools.reduce((total, tool) => total + tool[measure], 0);
  const argumentCount = sum('argumentCount');
  return {
    callable: points('callable', tools.length, operations.length),
    unchanged: ofTools('unchanged', ({ outcome }) => outcome.outcome === 'accepted'),
    described: ofTools('described', (tool) => tool.isDescribed),
    // Tools without arguments have nothing to describe.
    arguments:
      argumentCount === 0
        ? ofTools('arguments', () => true)
        : points('arguments', sum('describedArguments'), argumentCount),
    named: ofTools('named', (tool) => tool.isNamed),
  };
}
