import type { ParameterLocation } from '../model.ts';
import type { OverlayFacts } from './overlay.ts';

/** On whose behalf a document is compiled, and so what it may do. */
export type CompilePolicy = PresetPolicy | RegisteredPolicy;

/** The operator's own document: it may name secrets, and one issue refuses it. */
export interface PresetPolicy {
  readonly kind: 'preset';
}

/**
 * A stranger's document: an issue refuses or changes one operation, extensions have no power, texts are cleaned, and
 * the credential is the registration's.
 */
export interface RegisteredPolicy {
  readonly kind: 'registered';
  /** Replaces `servers[0]` of the document; path items and operations keep servers of their own. */
  readonly baseUrl?: string;
  /** Only operations that match one of these become tools. */
  readonly include?: readonly OperationFilter[];
  /** Operations that match one of these do not become tools. */
  readonly exclude?: readonly OperationFilter[];
  readonly credential?: CredentialBinding;
  /** What the extensions say that the tenant has chosen beside its document. */
  readonly overlay?: OverlayFacts;
}

/** Matches an operation that has all of these. `*` in `path` and `operationId` matches any characters. */
export interface OperationFilter {
  readonly tag?: string;
  readonly method?: string;
  readonly path?: string;
  readonly operationId?: string;
}

/** The credential of a registration. It is sent to approved origins only. */
export interface CredentialBinding {
  readonly in: Exclude<ParameterLocation, 'path'>;
  /** Null where only `x-credential` of an operation names it. */
  readonly name: string | null;
  readonly prefix: string;
  /** The name by which the catalog entry's secrets resolve the value. */
  readonly secretName: string;
  /** Origins that were approved with the registration, as `URL.origin` writes them. */
  readonly origins: readonly string[];
}

/** What was chosen beside a document, if anything. */
export const overlayOf = (policy: CompilePolicy): OverlayFacts | undefined =>
  policy.kind === 'registered' ? policy.overlay : undefined;

export const PRESET: PresetPolicy = { kind: 'preset' };
