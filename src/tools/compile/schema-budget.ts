import type { IssueSink } from '../document/definition-error.ts';
import {
  MAX_REGISTERED_SCHEMA_NODES_IN_ALL,
  MAX_REGISTERED_SCHEMA_SIZE,
  MAX_SCHEMA_NODES,
  MAX_SCHEMA_NODES_IN_ALL,
} from '../document/document-limits.ts';
import type { CompilePolicy } from './compile-policy.ts';

/** What the schemas of one tool, or of one shared definition, need. */
export interface SchemaUse {
  /** Pointers of the schemas that go to `$defs`. */
  readonly definitions: Set<string>;
  /** Schema objects so far. */
  nodes: number;
}

export const newSchemaUse = (): SchemaUse => ({ definitions: new Set(), nodes: 0 });

/** Counts schema objects. Returns false once there are too many, so that the caller stops. */
export type SpendNodes = (nodes: number, use: SchemaUse, pointer: string) => boolean;

interface SchemaLimits {
  /** For one tool, or one shared definition. */
  readonly each: number;
  readonly inAll: number;
}

const LIMITS: Readonly<Record<CompilePolicy['kind'], SchemaLimits>> = {
  preset: { each: MAX_SCHEMA_NODES, inAll: MAX_SCHEMA_NODES_IN_ALL },
  registered: { each: MAX_REGISTERED_SCHEMA_SIZE, inAll: MAX_REGISTERED_SCHEMA_NODES_IN_ALL },
};

/** Creates the count of one document. */
export function createSchemaBudget(kind: CompilePolicy['kind'], issues: IssueSink): SpendNodes {
  const { each, inAll } = LIMITS[kind];
  let nodesInAll = 0;
  return (nodes, use, pointer) => {
    use.nodes += nodes;
    nodesInAll += nodes;
    const fits = use.nodes <= each && nodesInAll <= inAll;
    if (!fits) issues.add(pointer, tooLarge(each, inAll));
    return fits;
  };
}

const tooLarge = (each: number, inAll: number): string =>
  `The input schemas are too large. A tool may have ${each} schema objects, a document ${inAll}. Register fewer operations, or simplify their schemas.`;
