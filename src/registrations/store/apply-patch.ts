import type { Updateable } from 'kysely';
import type { RegistrationsTable } from '../../platform/database/tables.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import { assertShareable } from '../request/decode-registration.ts';
import type { RegistrationPatch } from '../request/registration-request.ts';
import { endAwaiting, isShared } from './approval.ts';
import { assertNameFree } from './assert-room.ts';
import { hasChanges, type ToolTexts, type VersionChanges } from './compare-versions.ts';
import { assertDescriptionsFit, editDescriptions } from './edit-descriptions.ts';
import type { ChangeEntry } from './history.ts';
import { nameKeyOf } from './names.ts';
import type { RegistrationRecord, Versions } from './registration-record.ts';
import { replaceCredentials, type StoreDeps } from './store-deps.ts';
import {
  copyVersion,
  isSameVersion,
  type NewVersion,
  placeVersion,
  setColumns,
} from './versions.ts';

/** A version that was compiled for a change, and how its tools differ from those of another one. */
export interface CompiledChange {
  readonly next: NewVersion;
  readonly compare: (before: ToolTexts, after: ToolTexts) => VersionChanges;
}

/**
 * Applies what a tenant changes, all of it or nothing; call it in a transaction. `compiled` is there if the change needed a
 * compilation. Throws `conflict` for a name in use or one that was approved, `invalid_arguments` for a tool that the API
 * does not have, and `unprocessable` for a public API with a credential. Undefined without any member.
 */
export async function applyPatch(
  deps: StoreDeps,
  versions: Versions,
  patch: RegistrationPatch,
  compiled?: CompiledChange,
): Promise<ChangeEntry | undefined> {
  const { authentication, visibility } = patch;
  // Their names alone: never a value.
  const members = Object.keys(patch).filter((member) => member !== 'authentication');
  if (authentication) members.push('auth');
  if (members.length === 0) return undefined;
  const { current } = versions;
  assertShareable(visibility ?? current.visibility, authentication?.scheme ?? current.scheme);
  assertApprovedTexts(current, patch);
  const isPending = await applyVersion(deps, versions, patch, compiled);
  await setColumns(deps.db, current.id, await columnsOf(deps, current, patch));
  return { action: 'registration.changed', details: { name: current.name, members, isPending } };
}

/** All tenants and their models read the name and the category: the operator approved these. */
function assertApprovedTexts(
  current: RegistrationRecord,
  { visibility, name = current.name, category = current.category }: RegistrationPatch,
): void {
  if (!isShared(current) || visibility === 'private') return;
  if (name === current.name && category === current.category) return;
  throw new GatewayError(
    'conflict',
    'The name and the category of a public API were approved by the operator. Make the API private to change them, and then public again.',
  );
}

/** The columns that a change sets, once what belongs to them elsewhere is stored. */
async function columnsOf(
  deps: StoreDeps,
  current: RegistrationRecord,
  { name, category, description, authentication, visibility }: RegistrationPatch,
): Promise<Updateable<RegistrationsTable>> {
  const columns: Updateable<RegistrationsTable> = { updated_at_ms: deps.clock.now() };
  if (category !== undefined) columns.category = category;
  if (description !== undefined) columns.description = description;
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
  if (visibility !== undefined && visibility !== current.visibility) {
    await endAwaiting(deps, current.id, { state: 'registered' });
    columns.visibility = visibility;
    columns.status = visibility === 'public' ? 'awaiting_approval' : 'registered';
  }
  return columns;
}

/** Stores another version if the change needs one, and returns whether that waits for approval. */
async function applyVersion(
  deps: StoreDeps,
  versions: Versions,
  patch: RegistrationPatch,
  compiled: CompiledChange | undefined,
): Promise<boolean> {
  const { current, latest } = versions;
  // A private API does not wait: its latest version is taken into use.
  const isReleased = patch.visibility === 'private' && current.pendingVersion !== null;
  if (!compiled && !patch.descriptions && !isReleased) return false;
  const draft = compiled?.next ?? (await copyVersion(deps.db, latest));
  const next = { ...draft, descriptions: editDescriptions(draft, patch.descriptions) };
  const differs = compiled
    ? hasChanges(compiled.compare(current, next))
    : !isSameVersion(next, current);
  const isPending = isShared(current) && patch.visibility !== 'private' && differs;
  assertSameOrigins(current, next, patch);
  await placeVersion(deps, versions, next, isPending);
  await assertDescriptionsFit(deps, current.tenantId);
  return isPending;
}

/** A credential goes only to origins that its tenant could see when it was given. */
function assertSameOrigins(
  current: RegistrationRecord,
  next: NewVersion,
  { authentication }: RegistrationPatch,
): void {
  const { type } = authentication?.scheme ?? current.scheme;
  if (type === 'none' || next.origins.every((origin) => current.origins.includes(origin))) return;
  throw new GatewayError(
    'conflict',
    'The version that waits for approval has another origin, to which the credential would be sent. Make the API private first, check its baseUrl, and then set "auth".',
  );
}
