import type { JsonObject } from '../../platform/kernel/plain-json.ts';
import type { Report } from '../document/definition-error.ts';
import type { ReferenceResolver } from '../document/resolve-reference.ts';
import type { ToolDomain } from '../domain.ts';
import type { JsonSchema } from '../model.ts';
import type { CompilePolicy } from './compile-policy.ts';
import type { Extensions } from './extension-table.ts';
import type { FindingScope } from './findings.ts';
import type { SchemaConverter } from './input-schema.ts';
import type { CodeKinds } from './overlay.ts';
import { newSchemaUse } from './shared-schemas.ts';
import type { TextReader } from './text-reader.ts';

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
  readonly refuse: Report;
  /** What leaves no document to compile, under any policy. */
  readonly refuseDocument: Report;
  readonly references: ReferenceResolver;
  readonly schemas: SchemaConverter;
  readonly texts: TextReader;
  /** Characters of a stranger's tools so far. */
  readonly spent: { toolLength: number };
  readonly lineOf: (pointer: string) => number;
  readonly warn: Report;
  /** What the compiler had to guess or leave out: an issue of a preset, a change to a stranger's operation. */
  readonly report: Report;
}

/** The arguments by which callers choose among rows. Upstreams never see them; `_view` is in no schema. */
export const ROW_ARGUMENTS = [
  ...['_fields', '_limit', '_where', '_view'],
  ...['_group', '_calc', '_sort', '_link'],
] as const;

/** The arguments of a call for all values of a range; `_dry_run` is in no schema. */
export const RANGE_ARGUMENTS = ['_over', '_dry_run'] as const;

/** Arguments that the gateway reads itself, and a name that would reach the prototype of an object. */
export const RESERVED_ARGUMENTS: ReadonlySet<string> = new Set([
  ...['_clientId', '__proto__'],
  ...ROW_ARGUMENTS,
  ...RANGE_ARGUMENTS,
]);

/** The arguments of one tool while they are collected. */
export type InputDraft = ReturnType<typeof newInputDraft>;

export const newInputDraft = (hasBody: boolean, codeKinds: CodeKinds = {}) => ({
  properties: new Map<string, JsonSchema>(),
  /** The kinds of codes that were chosen for a stranger's parameters. */
  codeKinds,
  required: new Set<string>(),
  /** Arguments whose default is sent. */
  filled: new Set<string>(),
  /** Where the examples of a parameter are, by the name of its argument. */
  examples: new Map<string, string>(),
  /** Arguments that must be given if another one is. */
  dependentRequired: new Map<string, readonly string[]>(),
  /** Rules of a body beyond its properties, which apply to the arguments as a whole (`x-lift-body`). */
  rules: {} as JsonSchema,
  use: newSchemaUse(),
  /** Names that no parameter may have. */
  reserved: hasBody ? new Set([...RESERVED_ARGUMENTS, 'body']) : RESERVED_ARGUMENTS,
});
