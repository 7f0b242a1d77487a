import type { AdminInput } from '../api/call-admin.ts';
import type { ToolChoices } from '../shared/tool-choices.ts';
import type { ApiKey } from './key-queries.ts';

/** How the expiry is chosen: in so many days, never, on a date, or as it is. */
export const EXPIRIES = ['30', '90', '365', 'never', 'date'] as const;
export type Expiry = (typeof EXPIRIES)[number] | 'keep';

/** What a key may manage; only operators of the gateway give the last. */
export const SCOPES = ['none', 'admin', 'operator'] as const;
export type Scope = (typeof SCOPES)[number];

/** What the form holds. An empty number is no limit of the key's own. */
export interface KeyFormValues {
  readonly name: string;
  readonly description: string;
  readonly expiry: Expiry;
  /** Of a date input: `2026-11-22`, in the time zone of the person. */
  readonly date: string;
  /** Chosen when a key is created; it never changes. */
  readonly scope: Scope;
  /** Null = all tools. A key with a scope has them all. */
  readonly allowedTools: string[] | null;
  /** Whether clients see only the tools that search for all others. */
  readonly searches: boolean;
  readonly rateLimit: number | string;
  readonly dailyLimit: number | string;
}

const DAY_MS = 24 * 60 * 60 * 1000;

export const EMPTY_FORM: KeyFormValues = {
  name: '',
  description: '',
  expiry: '90',
  date: '',
  scope: 'none',
  allowedTools: null,
  searches: false,
  rateLimit: '',
  dailyLimit: '',
};

export const formOf = (key: ApiKey): KeyFormValues => ({
  name: key.name,
  description: key.description ?? '',
  expiry: 'keep',
  date: '',
  scope: key.scope ?? 'none',
  allowedTools: key.allowedTools === null ? null : [...key.allowedTools],
  searches: key.mode === 'search',
  rateLimit: key.rateLimitPerMinute ?? '',
  dailyLimit: key.dailyLimit ?? '',
});

type NewKey = Omit<AdminInput<'POST /tenants/:tenant/keys'>, 'tenant'>;
type KeyMembers = Omit<NewKey, 'scope'>;

/** What is sent of a new key. */
export const newKeyOf = (form: KeyFormValues, nowMs: number): NewKey => ({
  ...membersOf(form, nowMs),
  scope: form.scope === 'none' ? undefined : form.scope,
});

/** What is sent of the form, except for the scope. */
export const membersOf = (form: KeyFormValues, nowMs: number): KeyMembers => ({
  name: form.name.trim(),
  description: form.description.trim() || null,
  allowedTools: form.scope === 'none' ? form.allowedTools : null,
  mode: form.searches ? 'search' : null,
  rateLimitPerMinute: limitOf(form.rateLimit),
  dailyLimit: limitOf(form.dailyLimit),
  expiresAt: expiryOf(form, nowMs),
});

/**
 * What is sent of a changed key. A limit per minute that is unchanged is omitted: an operator who sends one approves it,
 * even if a tenant's admin gave it.
 */
export function changesOf(form: KeyFormValues, key: ApiKey, nowMs: number): Partial<KeyMembers> {
  const { rateLimitPerMinute, ...members } = membersOf(form, nowMs);
  return rateLimitPerMinute === key.rateLimitPerMinute
    ? members
    : { ...members, rateLimitPerMinute };
}

const limitOf = (value: number | string): number | null => (value === '' ? null : Number(value));

function expiryOf({ expiry, date }: KeyFormValues, nowMs: number): string | null | undefined {
  if (expiry === 'keep') return undefined;
  if (expiry === 'never') return null;
  // A key works on the whole day that was chosen.
  if (expiry === 'date') return new Date(`${date}T23:59:59`).toISOString();
  return new Date(nowMs + Number(expiry) * DAY_MS).toISOString();
}

/** Today as a date input writes it, in the time zone of the person. */
export function dateText(timeMs: number): string {
  const date = new Date(timeMs);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** A list of allowed tools, by how each entry was chosen. */
export interface ChosenTools {
  readonly categories: readonly string[];
  readonly picks: readonly string[];
  readonly patterns: readonly string[];
}

const CATEGORY = 'category:';

/** What no tool of the tenant has as its name is a pattern: it may select tools that are added later. */
export function splitTools(
  allowedTools: readonly string[],
  tools: ToolChoices['tools'],
): ChosenTools {
  const names = new Set(tools.map(({ pattern }) => pattern));
  const categories = allowedTools.filter((entry) => entry.startsWith(CATEGORY));
  const others = allowedTools.filter((entry) => !entry.startsWith(CATEGORY));
  return {
    categories,
    picks: others.filter((entry) => names.has(entry)),
    patterns: others.filter((entry) => !names.has(entry)),
  };
}

export const joinTools = ({ categories, picks, patterns }: ChosenTools): string[] => [
  ...new Set([...categories, ...patterns, ...picks]),
];
