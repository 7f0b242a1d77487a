import type { AdminAction } from '../../src/access/trail/admin-trail.ts';

/** What the trail records, in the order in which the filter offers it. Every action must be here. */
const ACTIONS: Readonly<Record<AdminAction, true>> = {
  'key.created': true,
  'key.changed': true,
  'key.rotated': true,
  'key.revoked': true,
  'provider_key.set': true,
  'provider_key.removed': true,
  'provider_key.tested': true,
  'member.added': true,
  'member.changed': true,
  'member.removed': true,
  'invitation.created': true,
  'invitation.withdrawn': true,
  'person.created': true,
  'person.renamed': true,
  'person.deleted': true,
  'person.password_changed': true,
  'person.password_reset': true,
  'person.sessions_ended': true,
  'person.operator_granted': true,
  'person.operator_revoked': true,
  'tenant.created': true,
  'tenant.renamed': true,
  'registration.created': true,
  'registration.changed': true,
  'registration.refreshed': true,
  'registration.approved': true,
  'registration.rejected': true,
  'registration.deleted': true,
  'retention.swept': true,
};

export const TRAIL_ACTIONS = Object.keys(ACTIONS) as readonly AdminAction[];

/** Whether the dashboard has a text for an action. */
export const isTrailAction = (action: string): action is AdminAction =>
  Object.hasOwn(ACTIONS, action);
