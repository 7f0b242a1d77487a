import { GatewayError } from '../../platform/kernel/error.ts';
import { assignNames } from '../../tools/catalog/assign-names.ts';
import { MAX_TOOLS } from './registration-bounds.ts';
import type { StoreDeps } from './store-deps.ts';

const MAX_SLUG_LENGTH = 32;

/** What two names of one API have in common: "My API" and "my-api" are the same. */
export const nameKeyOf = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/**
 * A slug that is not taken: from the name, or from the host if the name has letters that ASCII lacks. Ends with a number
 * if needed.
 */
export function chooseSlug(name: string, host: string, isTaken: (slug: string) => boolean): string {
  const fromName = isLatin(name) ? slugOf(name) : '';
  const base = fromName || slugOf(host) || 'api';
  for (let number = 1; ; number++) {
    const suffix = number === 1 ? '' : `-${number}`;
    const slug = `${trimHyphens(base.slice(0, MAX_SLUG_LENGTH - suffix.length))}${suffix}`;
    if (!isTaken(slug)) return slug;
  }
}

/** Without accents: "Café" becomes "Cafe". */
const plain = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '');

const isLatin = (name: string): boolean => !/[^\p{ASCII}\P{L}]/u.test(plain(name));

const slugOf = (text: string): string =>
  trimHyphens(
    plain(text)
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-'),
  );

const trimHyphens = (text: string): string => text.replace(/^-+|-+$/g, '');

/** A tool's name by its description, and the one that its tenant sees. */
export interface NamedTool {
  readonly compiled: string;
  readonly name: string;
}

/** A registration whose tools are named. */
interface NamedRegistration {
  readonly id: string;
  readonly tenantId: string;
  readonly slug: string;
}

/** Whether every tenant sees a tool with this name: one of a preset, or of an approved public API. */
export type IsSharedName = (name: string) => boolean;

/**
 * Names the tools of a version of a registration, so that none has a name that its tenant already sees; a tool that is stored
 * keeps its name. Throws `unprocessable` if the tenant would have too many tools.
 */
export async function nameTools(
  deps: Pick<StoreDeps, 'db'> & { readonly isSharedName: IsSharedName },
  registration: NamedRegistration,
  stored: readonly NamedTool[],
  compiled: readonly string[],
): Promise<readonly NamedTool[]> {
  const others = await otherTools(deps, registration);
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
    kept.has(name) || others.names.has(name) || deps.isSharedName(name);
  const assigned = assignNames(added, isTaken, registration.slug);
  for (const [at, tool] of added.entries()) names.set(tool, assigned[at] ?? tool);
  return compiled.map((tool) => ({ compiled: tool, name: names.get(tool) ?? tool }));
}

/**
 * The tools of the tenant's other registrations, with those of versions that wait for approval: their names are taken and
 * their number is reserved, so that an approval cannot fail.
 */
async function otherTools({ db }: Pick<StoreDeps, 'db'>, { id: own, tenantId }: NamedRegistration) {
  const versions = await db
    .selectFrom('registrations')
    .innerJoin('registration_versions', 'registration_versions.registration_id', 'registrations.id')
    .select(['registrations.id', 'registration_versions.tools'])
    .where('registrations.tenant_id', '=', tenantId)
    .where('registrations.id', '!=', own)
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
