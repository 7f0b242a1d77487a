import type { Kysely } from 'kysely';
import type { Tables } from '../../platform/database/tables.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { assignNames } from '../../tools/catalog/assign-names.ts';
import type { NamedTool } from './names.ts';
import { MAX_TOOLS } from './registration-bounds.ts';

/** Whether every tenant sees a tool with this name: one of a preset, or of an approved public API. */
export type IsSharedName = (name: string) => boolean;

/** The registration whose tools are named. */
export interface NamingSubject {
  readonly tenantId: string;
  readonly registrationId: string;
  readonly slug: string;
  /** The tools of its stored versions: a tool that stays keeps its name. */
  readonly stored: readonly NamedTool[];
}

/**
 * Names the tools of a version of a registration, so that none has a name that its tenant already sees. Throws
 * `unprocessable` if the tenant would have too many tools.
 */
export async function nameTools(
  db: Kysely<Tables>,
  { tenantId, registrationId, slug, stored }: NamingSubject,
  compiled: readonly string[],
  isShared: IsSharedName,
): Promise<readonly NamedTool[]> {
  const others = await otherTools(db, tenantId, registrationId);
  if (others.count + compiled.length > MAX_TOOLS) {
    throw new GatewayError(
      'unprocessable',
      `A tenant may have ${MAX_TOOLS} tools: ${others.count} are registered, and this API has ${compiled.length}. Choose operations with "include", or delete another API.`,
    );
  }
  const names = new Map(stored.map((tool) => [tool.compiled, tool.name]));
  const kept = new Set(compiled.flatMap((tool) => names.get(tool) ?? []));
  const added = compiled.filter((tool) => !names.has(tool));
  const isTaken = (name: string): boolean =>
    kept.has(name) || others.names.has(name) || isShared(name);
  const assigned = assignNames(added, isTaken, slug);
  added.forEach((tool, at) => {
    names.set(tool, assigned[at] ?? tool);
  });
  return compiled.map((tool) => ({ compiled: tool, name: names.get(tool) ?? tool }));
}

/**
 * The tools of the tenant's other registrations, with those of versions that wait for approval: their names are taken and
 * their number is reserved, so that an approval cannot fail.
 */
async function otherTools(
  db: Kysely<Tables>,
  tenantId: string,
  registrationId: string,
): Promise<{ readonly names: ReadonlySet<string>; readonly count: number }> {
  const versions = await db
    .selectFrom('registrations')
    .innerJoin('registration_versions', 'registration_versions.registration_id', 'registrations.id')
    .select(['registrations.id', 'registration_versions.tools'])
    .where('registrations.tenant_id', '=', tenantId)
    .where('registrations.id', '!=', registrationId)
    .execute();
  const names = new Set<string>();
  const counts = new Map<string, number>();
  for (const { id, tools } of versions) {
    const named: readonly NamedTool[] = JSON.parse(tools);
    for (const { name } of named) names.add(name);
    counts.set(id, Math.max(counts.get(id) ?? 0, named.length));
  }
  return { names, count: counts.values().reduce((sum, count) => sum + count, 0) };
}
