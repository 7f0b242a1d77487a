import type { AdminAnswer } from '../api/call-admin.ts';

export type TrailEntry = AdminAnswer<'GET /trail'>['entries'][number];

/** A member of an entry's details, as far as people read it. */
export interface TrailValue {
  readonly name: string;
  readonly kind: 'time' | 'text' | 'none' | 'boolean';
  /** Of a time, milliseconds since the epoch. */
  readonly value: string | number | boolean | null;
}

/** Characters of a value. */
const MAX_VALUE = 300;

/** Members by which its subject is called. */
const CALLED_BY = ['name', 'email', 'slug'];

/** What an entry says besides its subject, and its new name; values of others are text, whatever they contain. */
export function valuesOf({
  action,
  details,
}: Pick<TrailEntry, 'action' | 'details'>): TrailValue[] {
  const isChange = action === 'key.changed';
  const isNewName = (name: string) => name === 'name' && (isChange || action.endsWith('.renamed'));
  return Object.entries(details)
    .filter(([name]) => !CALLED_BY.includes(name) || isNewName(name))
    .filter(([, value]) => isChange || !isEmpty(value))
    .map(([name, value]) => ({ name, ...readValue(name, value) }));
}

/** A change may take a limit away; what is created without one needs no line. */
const isEmpty = (value: unknown): boolean =>
  value === null || (Array.isArray(value) && value.length === 0);

function readValue(name: string, value: unknown): Omit<TrailValue, 'name'> {
  if (value === null) return { kind: 'none', value: null };
  if (typeof value === 'boolean') return { kind: 'boolean', value };
  if (name.endsWith('Ms') && typeof value === 'number') return { kind: 'time', value };
  const isList = Array.isArray(value) && value.every((each) => typeof each === 'string');
  const text =
    typeof value === 'string' ? value : isList ? value.join(', ') : JSON.stringify(value);
  return { kind: 'text', value: text.slice(0, MAX_VALUE) };
}

/** What people know the subject of an entry by: the name of a key, an address, or its id. */
export function subjectOf(entry: TrailEntry, keyNames: ReadonlyMap<string, string>): string {
  const { action, details, subjectEmail, subjectId } = entry;
  // The name of a changed key is the new one; it is called by its present name.
  const named = [keyNames.get(subjectId), details['name'], details['email'], details['slug']];
  if (action.startsWith('person.') || action.startsWith('member.')) {
    named.unshift(subjectEmail ?? undefined);
  }
  const known = named.find((name): name is string => typeof name === 'string' && name !== '');
  return (known ?? subjectEmail ?? subjectId).slice(0, MAX_VALUE);
}

/** Who acted, as the texts distinguish it. */
export function actorKindOf(actor: string) {
  if (actor === 'cli' || actor === 'start' || actor === 'retention' || actor === 'oauth')
    return actor;
  return actor.startsWith('key_') ? 'key' : 'person';
}
