import type { Report } from '../document/definition-error.ts';
import {
  MAX_REGISTERED_SCHEMA_NODES_IN_ALL,
  MAX_REGISTERED_SCHEMA_SIZE,
  MAX_SCHEMA_NODES,
  MAX_SCHEMA_NODES_IN_ALL,
} from '../document/document-limits.ts';

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

export function createSchemaBudget(strict: boolean, refuse: Report): SpendNodes {
  // For one tool or one shared definition, and in all.
  const [each, inAll] = strict
    ? [MAX_SCHEMA_NODES, MAX_SCHEMA_NODES_IN_ALL]
    : [MAX_REGISTERED_SCHEMA_SIZE, MAX_REGISTERED_SCHEMA_NODES_IN_ALL];
  const message = `The input schemas are too large. A tool may have ${each} schema objects, a document ${inAll}. Register fewer operations, or simplify their schemas.`;
  let nodesInAll = 0;
  return (nodes, use, pointer) => {
    use.nodes += nodes;
    nodesInAll += nodes;
    const fits = use.nodes <= each && nodesInAll <= inAll;
    if (!fits) refuse(pointer, message);
    return fits;
  };
}
