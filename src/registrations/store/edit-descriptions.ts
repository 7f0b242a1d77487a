import { sql } from 'kysely';
import { closest } from '../../platform/kernel/closest.ts';
import { type ArgumentIssue, GatewayError } from '../../platform/kernel/error.ts';
import { pointerTo } from '../../platform/kernel/json-pointer.ts';
import { own } from '../../platform/kernel/plain-json.ts';
import { refuse } from '../request/decode-registration.ts';
import type { RegistrationPatch } from '../request/registration-request.ts';
import { MAX_TENANT_DESCRIPTIONS_LENGTH } from './registration-bounds.ts';
import type { RegistrationVersion } from './registration-record.ts';
import type { StoreDeps } from './store-deps.ts';

/** Names that the issue lists. */
const MAX_LISTED = 10;

/**
 * The texts of a version's tools after a person's edits; those of tools that it does not have are left out. Throws
 * `invalid_arguments` for an unknown tool.
 */
export function editDescriptions(
  { tools, descriptions }: Pick<RegistrationVersion, 'tools' | 'descriptions'>,
  edits: RegistrationPatch['descriptions'] = new Map(),
): RegistrationVersion['descriptions'] {
  const names = new Set(tools.map(({ name }) => name));
  const unknown = edits.keys().find((name) => !names.has(name));
  if (unknown !== undefined) throw refuse([unknownTool(unknown, [...names])]);
  return Object.fromEntries(
    tools.flatMap(({ compiled, name }) => {
      const text = edits.has(name) ? edits.get(name) : own(descriptions, compiled);
      return typeof text === 'string' ? [[compiled, text]] : [];
    }),
  );
}

/** One issue is enough: looking for similar names takes time for each of them. */
function unknownTool(name: string, names: readonly string[]): ArgumentIssue {
  const meant = closest(name, names);
  const listed = names.slice(0, MAX_LISTED).join(', ');
  const more = names.length > MAX_LISTED ? ` and ${names.length - MAX_LISTED} more` : '';
  return {
    path: pointerTo('/descriptions', name),
    message: `is not a tool of this API.${meant ? ` Did you mean "${meant}"?` : ''} Available: ${listed}${more}.`,
  };
}

/** Throws `unprocessable` if a tenant has written too much: every process that serves its tools holds it in memory. */
export async function assertDescriptionsFit({ db }: StoreDeps, tenantId: string): Promise<void> {
  const { total } = await db
    .selectFrom('registrations')
    .select(sql<number | null>`sum(length(descriptions))`.as('total'))
    .where('tenant_id', '=', tenantId)
    .executeTakeFirstOrThrow();
  if (Number(total) <= MAX_TENANT_DESCRIPTIONS_LENGTH) return;
  throw new GatewayError(
    'unprocessable',
    `The descriptions that a tenant writes itself may have ${MAX_TENANT_DESCRIPTIONS_LENGTH} characters together. Shorten some, or set them to null.`,
  );
}
