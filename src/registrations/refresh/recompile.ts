import { isDeepStrictEqual } from 'node:util';
import { runQuery } from '../../platform/database/database-error.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { noTools } from '../jobs/job-error.ts';
import { withinLimits } from '../jobs/within-limits.ts';
import type { AuthScheme } from '../request/registration-request.ts';
import type {
  CompiledRegistration,
  RegistrationSteps,
  StepLimits,
} from '../steps/registration-steps.ts';
import {
  findDocument,
  givenDocument,
  type PackedDocument,
  packDocument,
} from '../store/documents.ts';
import { findRegistration, type Versions } from '../store/find-registration.ts';
import type { RegisterDeps } from '../store/register-job.ts';
import type { RegistrationRecord, VersionOptions } from '../store/registration-record.ts';

export interface RecompileDeps extends RegisterDeps {
  readonly steps: RegistrationSteps;
}

/** What is to be compiled. */
export interface RecompileInput {
  /** Null = the description of the latest version. */
  readonly document: Uint8Array | null;
  readonly sourceUrl: string | null;
  readonly options: VersionOptions;
  readonly scheme: AuthScheme;
}

/** A description next to the one in use, both compiled by this release of the gateway. */
export interface Recompiled extends Omit<RecompileInput, 'document'> {
  readonly documentId: string;
  /** Null if the description is stored already. */
  readonly document: PackedDocument | null;
  /** Null if the description in use cannot be compiled any more. */
  readonly before: CompiledRegistration | null;
  readonly after: CompiledRegistration;
}

/** Compiles a description, and the one in use unless it is the same. Rejects with `unprocessable` if nothing becomes a tool. */
export async function recompile(
  deps: RecompileDeps,
  versions: Versions,
  input: RecompileInput,
  limits: StepLimits,
): Promise<Recompiled> {
  const { current } = versions;
  const inUse = await readStored(deps, current);
  const { bytes, documentId } = await identify(deps, versions, inUse, input.document);
  const compile = (document: Uint8Array, { options, sourceUrl }: DescribedVersion) =>
    compileAs(deps, current, { ...input, document, options, sourceUrl }, limits);
  const after = await compile(bytes, input);
  if (after.tools.length === 0) throw noTools(after.report);
  const isSame =
    documentId === current.documentId && isDeepStrictEqual(input.options, current.options);
  const before = isSame ? after : await orNull(compile(inUse, current), limits);
  const document = documentId === null ? await packDocument(bytes) : null;
  const id = document?.id ?? documentId ?? current.documentId;
  return { ...input, documentId: id, document, before, after };
}

type DescribedVersion = Pick<RecompileInput, 'options' | 'sourceUrl'>;

const compileAs = (
  { steps }: RecompileDeps,
  { name, visibility, category, description }: RegistrationRecord,
  { document, sourceUrl, options, scheme }: RecompileInput & { readonly document: Uint8Array },
  limits: StepLimits,
): Promise<CompiledRegistration> => {
  const input = { document: givenDocument(document), documentUrl: sourceUrl, name, scheme };
  const all = { visibility, category, description, ...options };
  return withinLimits(limits, () => steps.compile({ ...input, options: all }, limits));
};

/** A newer release may refuse a description that an older one has stored. A refresh must still be possible. */
async function orNull(
  compiling: Promise<CompiledRegistration>,
  { deadline }: StepLimits,
): Promise<CompiledRegistration | null> {
  try {
    return await compiling;
  } catch (error) {
    const isRefused = error instanceof GatewayError && error.code === 'unprocessable';
    if (isRefused && deadline.remainingMs() > 0) return null;
    throw error;
  }
}

/** The description to compile, and the id under which it is stored already; null if it is not. */
async function identify(
  deps: RecompileDeps,
  { current, latest }: Versions,
  inUse: Uint8Array,
  given: Uint8Array | null,
): Promise<{ readonly bytes: Uint8Array; readonly documentId: string | null }> {
  const bytes = given ?? inUse;
  const isLatest = latest.documentId === current.documentId;
  if (given ? isEqual(given, inUse) : isLatest) return { bytes, documentId: current.documentId };
  if (isLatest) return { bytes, documentId: null };
  const waiting = await readStored(deps, latest);
  if (!given || isEqual(given, waiting)) return { bytes: waiting, documentId: latest.documentId };
  return { bytes, documentId: null };
}

const isEqual = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0;

/** Rejects with `not_found` or `conflict` if the version was deleted meanwhile. */
async function readStored(
  { db }: RecompileDeps,
  { id, documentId }: RegistrationRecord,
): Promise<Uint8Array> {
  const document = await findDocument(db, documentId);
  if (document) return document;
  await runQuery(() => findRegistration(db, { id }));
  throw changedMeanwhile();
}

/** Throws `conflict` if what was compiled is not the latest any more, or would get another credential. */
export function assertUnchanged({ current: seen }: Versions, { current: found }: Versions): void {
  const parts = ['version', 'pendingVersion', 'documentId', 'credentialVersion'] as const;
  if (parts.some((part) => seen[part] !== found[part])) throw changedMeanwhile();
}

const changedMeanwhile = (): GatewayError =>
  new GatewayError(
    'conflict',
    'The registration was changed while its description was compiled. Send the request again.',
  );
