import { sql, type Updateable } from 'kysely';
import type { RegistrationsTable } from '../../platform/database/tables.ts';
import { closest } from '../../platform/kernel/closest.ts';
import { type ArgumentIssue, GatewayError } from '../../platform/kernel/error.ts';
import { pointerTo } from '../../platform/kernel/json-pointer.ts';
import { own } from '../../platform/kernel/plain-json.ts';
import { refuse } from '../request/decode-registration.ts';
import type { RegistrationPatch } from '../request/registration-request.ts';
import { assertNameFree } from './assert-room.ts';
import { nameKeyOf } from './names.ts';
import { MAX_TENANT_DESCRIPTIONS_LENGTH } from './registration-bounds.ts';
import type { RegistrationRecord, RegistrationVersion } from './registration-record.ts';
import type { ChangeEntry } from './run-change.ts';
import { replaceCredentials, type StoreDeps } from './store-deps.ts';
import { type NewVersion, replaceVersion, setColumns } from './versions.ts';

/**
 * Applies what a tenant changes, all of it or nothing; call it in a transaction. `compiled` is there if the change needed a
 * compilation. Throws `conflict` for a name in use, and `invalid_arguments` for a tool that the API does not have. Undefined
 * without any member.
 */
export async function applyPatch(
  deps: StoreDeps,
  current: RegistrationRecord,
  patch: RegistrationPatch,
  compiled?: NewVersion,
): Promise<ChangeEntry | undefined> {
  // Their names alone: never a value.
  const { authentication, about = {}, ...others } = patch;
  const members = [...Object.keys({ ...others, ...about }), ...(authentication ? ['auth'] : [])];
  if (members.length === 0) return undefined;
  if (compiled) await replaceVersion(deps.db, current, compiled);
  const columns = await columnsOf(deps, current, patch);
  if (patch.descriptions) {
    const descriptions = editDescriptions(compiled ?? current, patch.descriptions);
    columns.descriptions = JSON.stringify(descriptions);
  }
  await setColumns(deps.db, current.id, columns);
  if (patch.descriptions) await assertDescriptionsFit(deps, current.tenantId);
  return { action: 'registration.changed', details: { name: current.name, members } };
}

/** The columns that a change sets, once what belongs to them elsewhere is stored. */
async function columnsOf(
  deps: StoreDeps,
  current: RegistrationRecord,
  { name, about, authentication }: RegistrationPatch,
): Promise<Updateable<RegistrationsTable>> {
  const columns: Updateable<RegistrationsTable> = { updated_at_ms: deps.clock.now() };
  if (about) {
    const changed = Object.entries({ ...current.about, ...about });
    columns.about = JSON.stringify(
      Object.fromEntries(changed.filter(([, value]) => value !== null)),
    );
  }
  if (name !== undefined) {
    columns.name = name;
    columns.name_key = nameKeyOf(name);
    await assertNameFree(deps.db, current.tenantId, columns.name_key, current.id);
  }
  if (authentication) {
    await replaceCredentials(deps, current, authentication.credentials);
    columns.auth = JSON.stringify(authentication.scheme);
    columns.credential_version = current.credentialVersion + 1;
  }
  return columns;
}

/** Names that the issue lists. */
const MAX_LISTED = 10;

/**
 * The texts of a version's tools after a person's edits; texts of tools that it does not have are left out. Throws
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
