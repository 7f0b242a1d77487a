import type { JsonObject } from '../../platform/kernel/plain-json.ts';
import type { IssueSink } from '../document/definition-error.ts';
import type { ReferenceResolver } from '../document/resolve-reference.ts';
import type { ToolDomain } from '../domain.ts';
import type { JsonSchema } from '../model.ts';
import type { CompilePolicy } from './compile-policy.ts';
import type { Extensions } from './extension-table.ts';
import type { FindingScope } from './findings.ts';
import type { SchemaConverter } from './input-schema.ts';
import { newSchemaUse, type SchemaUse } from './schema-budget.ts';
import type { TextReader } from './text-reader.ts';
import type { SpendTool } from './tool-budget.ts';

export interface CompileOptions {
  readonly domain: ToolDomain;
  readonly policy: CompilePolicy;
  /** URL of the document, against which relative server URLs are resolved. */
  readonly documentUrl?: string;
  /** Why the gateway would not call a server, whatever else is right about it; undefined if it would. */
  readonly serverIssue?: (address: URL) => string | undefined;
}

/** What every compile step of one document needs. */
export interface CompileContext {
  readonly root: JsonObject;
  readonly options: CompileOptions;
  /** Whether the document is the operator's own. */
  readonly strict: boolean;
  readonly extensions: Extensions;
  readonly scope: FindingScope;
  /** What keeps a preset from being loaded, or a stranger's operation from becoming a tool. */
  readonly issues: IssueSink;
  /** What leaves no document to compile, under any policy. */
  readonly refuseDocument: (pointer: string, message: string) => void;
  readonly references: ReferenceResolver;
  readonly schemas: SchemaConverter;
  readonly texts: TextReader;
  /** Counts the tools of a stranger. */
  readonly spendTool: SpendTool;
  readonly lineOf: (pointer: string) => number;
  readonly warn: (pointer: string, message: string) => void;
  /** What the compiler had to guess or leave out: an issue of a preset, a change to a stranger's operation. */
  readonly report: (pointer: string, message: string) => void;
}

/** The arguments of one tool while they are collected. */
export interface InputDraft {
  readonly properties: Map<string, JsonSchema>;
  readonly required: Set<string>;
  /** Where the examples of a parameter are, by the name of its argument. */
  readonly examples: Map<string, string>;
  /** Arguments that must be given if another one is. */
  readonly dependentRequired: Map<string, readonly string[]>;
  /** Rules of a body beyond its properties, which apply to the arguments as a whole (`x-lift-body`). */
  rules: JsonSchema;
  readonly use: SchemaUse;
  /** Names that no parameter may have. */
  readonly reserved: ReadonlySet<string>;
}

/** Arguments that the gateway reads itself, and a name that would reach the prototype of an object. */
export const RESERVED_ARGUMENTS: ReadonlySet<string> = new Set([
  '_clientId',
  '_fields',
  '_limit',
  '__proto__',
]);

/** The arguments of a tool before any is known. */
export const newInputDraft = (hasBody: boolean): InputDraft => ({
  properties: new Map(),
  required: new Set(),
  examples: new Map(),
  dependentRequired: new Map(),
  rules: {},
  use: newSchemaUse(),
  reserved: hasBody ? new Set([...RESERVED_ARGUMENTS, 'body']) : RESERVED_ARGUMENTS,
});
