import type { Updateable } from 'kysely';
import type { RegistrationsTable } from '../../platform/database/tables.ts';
import type { RegistrationPatch } from '../request/registration-request.ts';
import { assertNameFree } from './assert-room.ts';
import { assertDescriptionsFit, editDescriptions } from './edit-descriptions.ts';
import type { ChangeEntry } from './history.ts';
import { nameKeyOf } from './names.ts';
import type { RegistrationRecord } from './registration-record.ts';
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
