import type { Kysely, Updateable } from 'kysely';
import type { RegistrationsTable, Tables } from '../../platform/database/tables.ts';
import { GatewayError } from '../../platform/kernel/error.ts';
import type { RegistrationPatch } from '../request/decode-patch.ts';
import { assertShareable } from '../request/decode-registration.ts';
import type { CompiledRegistration } from '../steps/registration-steps.ts';
import type { ChangeEntry } from './append-entry.ts';
import { isShared } from './approval.ts';
import { nameInUse } from './assert-room.ts';
import { compareVersions, hasChanges } from './compare-versions.ts';
import { assertDescriptionsFit, editDescriptions } from './edit-descriptions.ts';
import type { Versions } from './find-registration.ts';
import { nameKeyOf } from './names.ts';
import { isSameVersion, placeVersion, setColumns } from './place-version.ts';
import type { RegistrationRecord } from './registration-record.ts';
import { endAwaiting } from './remove-registration.ts';
import { replaceCredentials, type StoreDeps, secretsIn } from './store-deps.ts';
import { copyVersion, type NewVersion } from './versions.ts';

/** A change by the tenant, with the version that was compiled for it, if it needed one. */
export interface PatchChange {
  readonly patch: RegistrationPatch;
  readonly compiled?: {
    readonly next: NewVersion;
    /** What the descriptions of the current version and of the next one compile to. */
    readonly before: CompiledRegistration['traits'];
    readonly after: CompiledRegistration['traits'];
  };
}

/**
 * Applies what a tenant changes, all of it or nothing. Throws `conflict` for a name in use or one that was approved,
 * `invalid_arguments` for a tool that the API does not have, and `unprocessable` for a public API with a credential.
 * Undefined without any member.
 */
export async function applyPatch(
  deps: StoreDeps,
  transaction: Kysely<Tables>,
  versions: Versions,
  change: PatchChange,
): Promise<ChangeEntry | undefined> {
  const members = membersOf(change.patch);
  if (members.length === 0) return undefined;
  const { current } = versions;
  const { authentication, visibility } = change.patch;
  assertShareable(visibility ?? current.visibility, authentication?.scheme ?? current.scheme);
  assertApprovedTexts(current, change.patch);
  const isPending = await applyVersion(deps, transaction, versions, change);
  await setColumns(transaction, current.id, {
    ...(await nameColumns(transaction, current, change.patch)),
    ...(await credentialColumns(deps, transaction, current, change.patch)),
    ...(await visibilityColumns(deps, transaction, current, change.patch)),
    updated_at_ms: deps.clock.now(),
  });
  return { action: 'registration.changed', details: { name: current.name, members, isPending } };
}

/** The members of the request, without their values. */
const membersOf = ({ authentication, ...rest }: RegistrationPatch): readonly string[] => [
  ...Object.keys(rest),
  ...(authentication ? ['auth'] : []),
];

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

async function nameColumns(
  transaction: Kysely<Tables>,
  { id, tenantId }: RegistrationRecord,
  { name, category, description }: RegistrationPatch,
): Promise<Updateable<RegistrationsTable>> {
  const texts = {
    ...(category !== undefined && { category }),
    ...(description !== undefined && { description }),
  };
  if (name === undefined) return texts;
  const name_key = nameKeyOf(name);
  const same = await transaction
    .selectFrom('registrations')
    .select(['id', 'name'])
    .where('tenant_id', '=', tenantId)
    .where('name_key', '=', name_key)
    .where('id', '!=', id)
    .executeTakeFirst();
  if (same) throw nameInUse(same);
  return { ...texts, name, name_key };
}

async function credentialColumns(
  deps: StoreDeps,
  transaction: Kysely<Tables>,
  { id, tenantId, credentialVersion }: RegistrationRecord,
  { authentication }: RegistrationPatch,
): Promise<Updateable<RegistrationsTable>> {
  if (!authentication) return {};
  const secrets = secretsIn(transaction, deps);
  await replaceCredentials(secrets, { tenantId, subjectId: id }, authentication.credentials);
  return {
    auth: JSON.stringify(authentication.scheme),
    credential_version: credentialVersion + 1,
  };
}

async function visibilityColumns(
  deps: StoreDeps,
  transaction: Kysely<Tables>,
  current: RegistrationRecord,
  { visibility }: RegistrationPatch,
): Promise<Updateable<RegistrationsTable>> {
  if (visibility === undefined || visibility === current.visibility) return {};
  await endAwaiting(deps, transaction, current.id, { state: 'registered' });
  return { visibility, status: visibility === 'public' ? 'awaiting_approval' : 'registered' };
}

/** Stores another version if the change needs one, and returns whether that waits for approval. */
async function applyVersion(
  deps: StoreDeps,
  transaction: Kysely<Tables>,
  versions: Versions,
  { patch, compiled }: PatchChange,
): Promise<boolean> {
  const { current, latest } = versions;
  // A private API does not wait: its latest version is taken into use.
  const isReleased = patch.visibility === 'private' && current.pendingVersion !== null;
  if (!compiled && !patch.descriptions && !isReleased) return false;
  const draft = compiled?.next ?? (await copyVersion(transaction, latest));
  const next = { ...draft, descriptions: editDescriptions(draft, patch.descriptions) };
  const isPending =
    isShared(current) &&
    patch.visibility !== 'private' &&
    (compiled
      ? hasChanges(
          compareVersions(
            { version: current, traits: compiled.before },
            { version: next, traits: compiled.after },
          ),
        )
      : !isSameVersion(next, current));
  assertSameOrigins(current, next, patch);
  await placeVersion(deps, transaction, versions, { next, isPending });
  await assertDescriptionsFit(transaction, current.tenantId);
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
