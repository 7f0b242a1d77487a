import { GatewayError } from '../../platform/kernel/error.ts';
import { assignNames } from '../../tools/catalog/catalog-view.ts';
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

/** A tool's name by its description, and the name that its tenant sees. */
export interface NamedTool {
  readonly compiled: string;
  readonly name: string;
}

/** A registration whose tools are named. */
interface NamedRegistration {
  readonly id: string;
  readonly tenantId: string;
  readonly slug: string;
  /** Those that have names. */
  readonly tools: readonly NamedTool[];
}

/** Whether a preset has a tool with this name. */
export type IsSharedName = (name: string) => boolean;

/**
 * Names the tools of a registration, so that none has a name that its tenant already sees; a tool that is stored
 * keeps its name. Throws `unprocessable` if the tenant would have too many tools.
 */
export async function nameTools(
  deps: Pick<StoreDeps, 'db'> & { readonly isSharedName: IsSharedName },
  registration: NamedRegistration,
  compiled: readonly string[],
): Promise<readonly NamedTool[]> {
  const others = await otherTools(deps, registration);
  if (others.count + compiled.length > MAX_TOOLS) {
    throw new GatewayError(
      'unprocessable',
      `A tenant may have ${MAX_TOOLS} tools: ${others.count} are registered, and this API has ${compiled.length}. Choose operations with "include", or delete another API.`,
    );
  }
  const names = new Map(registration.tools.map((tool) => [tool.compiled, tool.name]));
  const kept = new Set(compiled.flatMap((tool) => names.get(tool) ?? []));
  const added = compiled.filter((tool) => !names.has(tool));
  const isTaken = (name: string): boolean =>
    kept.has(name) || others.names.has(name) || deps.isSharedName(name);
  const assigned = assignNames(added, isTaken, registration.slug);
  for (const [at, tool] of added.entries()) names.set(tool, assigned[at] ?? tool);
  return compiled.map((tool) => ({ compiled: tool, name: names.get(tool) ?? tool }));
}

async function otherTools({ db }: Pick<StoreDeps, 'db'>, { id: own, tenantId }: NamedRegistration) {
  const others = await db
    .selectFrom('registrations')
    .select('tools')
    .where('tenant_id', '=', tenantId)
    .where('id', '!=', own)
    .execute();
  const tools = others.flatMap((other) => JSON.parse(other.tools) as readonly NamedTool[]);
  return { names: new Set(tools.map(({ name }) => name)), count: tools.length };
}
