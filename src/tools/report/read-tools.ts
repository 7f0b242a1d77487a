import { isObject, own, ownText } from '../../platform/kernel/plain-json.ts';
import { RESERVED_ARGUMENTS } from '../compile/compile-context.ts';
import type { OperationOutcome } from '../compile/compile-outcome.ts';
import { toolName, toolNameOfPath } from '../compile/tool-name.ts';
import { fallbackDescription } from '../compile/tool-text.ts';
import { MAX_TOOL_NAME_LENGTH } from '../document/document-limits.ts';
import type { JsonSchema, Tool } from '../model.ts';

/** What the report measures about one tool. */
export interface ToolFacts {
  readonly outcome: OperationOutcome;
  /** Whether the document says what the operation does. */
  readonly isDescribed: boolean;
  readonly argumentCount: number;
  readonly describedArguments: number;
  /** Whether the tool has the name that the document gives the operation. */
  readonly isNamed: boolean;
  /** Whether the name was too long for a tool. */
  readonly hasLongName: boolean;
  readonly hasOpenArrays: boolean;
}

/** The facts of each tool, in the order of the operations. */
export function readTools(
  tools: readonly Tool[],
  operations: readonly OperationOutcome[],
): ToolFacts[] {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return operations.flatMap((outcome) => {
    const tool = outcome.tool === null ? undefined : byName.get(outcome.tool);
    return tool ? [readTool(tool, outcome)] : [];
  });
}

function readTool(tool: Tool, outcome: OperationOutcome): ToolFacts {
  const { operationId } = outcome;
  const schemas = argumentsOf(tool);
  const wanted =
    operationId === null ? toolNameOfPath(tool.method, tool.path) : toolName(operationId);
  const fallback = fallbackDescription(tool);
  return {
    outcome,
    isDescribed: ![fallback, `Deprecated. ${fallback}`].includes(tool.description),
    argumentCount: schemas.length,
    describedArguments: schemas.filter(isDescribed).length,
    isNamed: operationId !== null && tool.name === wanted,
    hasLongName: wanted.length > MAX_TOOL_NAME_LENGTH,
    hasOpenArrays: hasOpenArray(tool.inputSchema),
  };
}

/** The schemas of the arguments that the document declares. */
function argumentsOf({ inputSchema }: Tool): unknown[] {
  const properties = own(inputSchema, 'properties');
  if (!isObject(properties)) return [];
  return Object.entries(properties).flatMap(([name, schema]) =>
    RESERVED_ARGUMENTS.has(name) ? [] : [schema],
  );
}

const isDescribed = (schema: unknown): boolean =>
  isObject(schema) && (ownText(schema, 'description') ?? '').trim() !== '';

/** Members of a schema that hold values, not schemas. */
const VALUES = new Set(['default', 'examples', 'enum', 'const', 'required']);

/** Whether some array in a schema does not say what its elements are. */
function hasOpenArray(schema: JsonSchema): boolean {
  const isArray = [schema['type']].flat().includes('array');
  if (isArray && !Object.hasOwn(schema, 'items') && !Object.hasOwn(schema, 'prefixItems')) {
    return true;
  }
  return Object.entries(schema).some(([key, member]) => !VALUES.has(key) && isOpenWithin(member));
}

function isOpenWithin(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isOpenWithin);
  return isObject(value) && hasOpenArray(value);
}
