import { isDeepStrictEqual } from 'node:util';
import { runQuery } from '../../platform/database/database-error.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { noTools } from '../jobs/job-error.ts';
import { withinLimits } from '../jobs/within-limits.ts';
import { type OriginChange, originsOf } from '../steps/origins.ts';
import type {
  CompiledRegistration,
  DescriptionContext,
  RegistrationSteps,
  StepLimits,
} from '../steps/registration-steps.ts';
import { editDescriptions } from '../store/apply-patch.ts';
import { compareVersions, type ToolTexts } from '../store/compare-versions.ts';
import { findDocument, givenDocument, packDocument } from '../store/documents.ts';
import { nameTools } from '../store/names.ts';
import type { RegisterDeps } from '../store/register-job.ts';
import { findRegistration, type RegistrationRecord } from '../store/registration-record.ts';
import type { NewVersion } from '../store/versions.ts';

export interface RecompileDeps extends RegisterDeps {
  readonly steps: RegistrationSteps;
}

/** What is to be compiled. */
export interface RecompileInput extends Omit<DescriptionContext, 'name'> {
  /** Null = the description in use. */
  readonly document: Uint8Array | null;
}

/** A description next to the one in use, both compiled by this release of the gateway. */
export type Recompiled = Awaited<ReturnType<typeof recompile>>;

/** Compiles a description, and the one in use unless it is the same. Rejects with `unprocessable` if nothing becomes a tool. */
export async function recompile(
  deps: RecompileDeps,
  current: RegistrationRecord,
  { document: given, ...context }: RecompileInput,
  limits: StepLimits,
) {
  const inUse = await readStored(deps, current);
  const other = given && Buffer.compare(given, inUse) !== 0 ? given : null;
  const compile = (document: Uint8Array, { options, descriptionUrl }: CompiledWith) => {
    const { name } = current;
    const { scheme } = context;
    const input = { document: givenDocument(document), descriptionUrl, name, scheme, options };
    return withinLimits(limits, () => deps.steps.compile(input, limits));
  };
  const after = await compile(other ?? inUse, context);
  if (after.tools.length === 0) throw noTools(after.report);
  const isSame = !other && isDeepStrictEqual(context.options, current.options);
  const before = isSame ? after : await orNull(compile(inUse, current), limits);
  const document = other && (await packDocument(other));
  const origins: OriginChange = {
    before: before ? originsOf(before) : current.origins,
    after: originsOf(after),
  };
  return {
    ...context,
    documentId: document?.id ?? current.documentId,
    /** Null if the description is stored already. */
    document,
    after,
    origins,
    /** If the description in use cannot be compiled any more, every tool counts as changed. */
    compare: (inUse: ToolTexts, next: ToolTexts) =>
      compareVersions(inUse, before?.traits ?? {}, next, after.traits),
  };
}

type CompiledWith = Pick<DescriptionContext, 'options' | 'descriptionUrl'>;

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

/**
 * The version that may be stored: names the tools that are new. Call it in the transaction that stores the version, after
 * `assertUnchanged`.
 */
export async function proposeVersion(
  deps: RegisterDeps,
  current: RegistrationRecord,
  { after, document, documentId, descriptionUrl, options }: Recompiled,
  origins: readonly string[],
): Promise<NewVersion> {
  const tools = await nameTools(deps, current, after.tools);
  const descriptions = editDescriptions({ tools, descriptions: current.descriptions });
  const { baseUrl, compiledTools } = after;
  const report = JSON.stringify(after.report);
  const source = { documentId, document, descriptionUrl, options };
  return { ...source, baseUrl, origins, tools, descriptions, report, compiledTools };
}

/** Throws `conflict` if the registration was changed since it was compiled. */
export function assertUnchanged(seen: RegistrationRecord, found: RegistrationRecord): void {
  if (seen.revision === found.revision && seen.documentId === found.documentId) return;
  throw changedMeanwhile();
}

const changedMeanwhile = (): GatewayError =>
  new GatewayError(
    'conflict',
    'The registration was changed while its description was compiled. Send the request again.',
  );
