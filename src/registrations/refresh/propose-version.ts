import type { Kysely } from 'kysely';
import type { Tables } from '../../platform/database/tables.ts';
import type { CompiledRegistration } from '../steps/registration-steps.ts';
import { compareVersions, type VersionChanges } from '../store/compare-versions.ts';
import { editDescriptions } from '../store/edit-descriptions.ts';
import type { Versions } from '../store/find-registration.ts';
import { type IsSharedName, nameTools } from '../store/name-tools.ts';
import type { NewVersion } from '../store/versions.ts';
import type { Recompiled } from './recompile.ts';

/** A version that may be stored, and how its tools differ from those in use. */
export interface Proposal {
  readonly next: NewVersion;
  readonly changes: VersionChanges;
}

/** What a description compiles to if it cannot be compiled: every tool then counts as changed. */
const NOTHING: CompiledRegistration['traits'] = {};

export const traitsBefore = ({ before }: Recompiled): CompiledRegistration['traits'] =>
  before?.traits ?? NOTHING;

/** Names the tools that are new, and compares. Call it in the transaction that stores the version. */
export async function proposeVersion(
  { db, isSharedName }: { readonly db: Kysely<Tables>; readonly isSharedName: IsSharedName },
  { current, latest }: Versions,
  recompiled: Recompiled,
  origins: readonly string[],
): Promise<Proposal> {
  const { after, document, documentId, sourceUrl, options } = recompiled;
  const { id: registrationId, tenantId, slug } = current;
  const stored = [...latest.tools, ...current.tools];
  const subject = { tenantId, registrationId, slug, stored };
  const tools = await nameTools(db, subject, after.tools, isSharedName);
  const descriptions = editDescriptions({ tools, descriptions: latest.descriptions });
  const changes = compareVersions(
    { version: current, traits: traitsBefore(recompiled) },
    { version: { tools, descriptions }, traits: after.traits },
  );
  const { baseUrl, compiledTools } = after;
  const report = JSON.stringify(after.report);
  const source = { documentId, document, sourceUrl, options };
  return {
    next: { ...source, baseUrl, origins, tools, descriptions, report, compiledTools },
    changes,
  };
}
