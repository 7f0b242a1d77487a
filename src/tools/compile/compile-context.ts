import type { DefinitionFault, FaultList } from '../document/definition-error.ts';
import type { ReferenceResolver } from '../document/resolve-reference.ts';
import type { JsonSchema } from '../model.ts';
import type { JsonObject } from '../plain-json.ts';
import type { SchemaTranslator, SchemaUse } from './input-schema.ts';

export interface CompileOptions {
  /**
   * The document is the operator's own: it may name secrets, and whatever has no effect or needs a guess is a
   * fault. Otherwise it is a stranger's: it may carry any vendor's `x-` keys, and guesses are made.
   */
  readonly strictExtensions?: boolean;
  /** Address that the document came from; relative server addresses are read against it. */
  readonly documentUrl?: string;
  /** The secret for a security scheme that names none itself. */
  readonly secretForScheme?: (schemeName: string, scheme: JsonObject) => string | undefined;
  /** Told of what is left out without being a fault, up to fifty times. */
  readonly onWarning?: (warning: DefinitionFault) => void;
}

/** What every compile step of one document works with. */
export interface CompileContext {
  readonly root: JsonObject;
  readonly options: CompileOptions;
  readonly strict: boolean;
  readonly faults: FaultList;
  readonly references: ReferenceResolver;
  readonly schemas: SchemaTranslator;
  readonly lineOf: (pointer: string) => number;
  readonly warn: (pointer: string, message: string) => void;
  /** A fault in a strict document, a warning in a stranger's. */
  readonly complain: (pointer: string, message: string) => void;
}

/** The arguments of one tool, while they are put together. */
export interface InputDraft {
  readonly properties: Map<string, JsonSchema>;
  readonly required: Set<string>;
  /** Arguments that must be there when another one is. */
  readonly dependentRequired: Map<string, readonly string[]>;
  /** Rules of a body beyond its properties that hold for the arguments as a whole (`x-lift-body`). */
  rules: JsonSchema;
  readonly use: SchemaUse;
  /** Names that no parameter may have. */
  readonly reserved: ReadonlySet<string>;
}

/** Arguments that the gateway itself reads beside a tool's own, and one that no object should be asked for. */
export const RESERVED_ARGUMENTS: ReadonlySet<string> = new Set([
  '_clientId',
  '_fields',
  '_limit',
  '__proto__',
]);
