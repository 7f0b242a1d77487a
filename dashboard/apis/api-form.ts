import type { AdminInput } from '../api/admin-types.ts';
import { type AuthenticationValues, NO_AUTHENTICATION, toAuth } from './authentication.ts';

type RegisterInput = AdminInput<'POST /tenants/:tenant/registrations'>;

export type Filter = NonNullable<RegisterInput['include']>[number];
export type SourceKind = 'address' | 'file' | 'text';

/** A file that was read in the browser. */
export interface ReadFile {
  readonly name: string;
  readonly bytes: number;
  readonly text: string;
}

/** What the form for a description holds. */
export interface SourceValues {
  readonly kind: SourceKind;
  readonly url: string;
  readonly text: string;
  readonly file: ReadFile | null;
}

export const NO_SOURCE: SourceValues = { kind: 'address', url: '', text: '', file: null };

/** What the form for a new API holds. */
export interface ApiValues {
  readonly source: SourceValues;
  readonly name: string;
  readonly auth: AuthenticationValues;
  readonly visibility: 'private' | 'public';
  readonly category: string;
  readonly description: string;
  readonly baseUrl: string;
  readonly include: readonly Filter[];
  readonly exclude: readonly Filter[];
}

export const EMPTY_FORM: ApiValues = {
  source: NO_SOURCE,
  name: '',
  auth: NO_AUTHENTICATION,
  visibility: 'private',
  category: '',
  description: '',
  baseUrl: '',
  include: [],
  exclude: [],
};

/** The description of a request; null if none was given. */
export function toSource({
  kind,
  url,
  text,
  file,
}: SourceValues): { readonly spec_url?: string; readonly spec_raw?: string } | null {
  if (kind === 'address') return url.trim() ? { spec_url: url.trim() } : null;
  const raw = kind === 'file' ? file?.text : text;
  return raw?.trim() ? { spec_raw: raw } : null;
}

const orUndefined = (text: string): string | undefined => text.trim() || undefined;

/** The request that the form describes; null without a description. */
export function toRegistration(values: ApiValues): Omit<RegisterInput, 'tenant'> | null {
  const source = toSource(values.source);
  if (!source) return null;
  const { include, exclude } = values;
  return {
    ...source,
    name: values.name.trim(),
    auth: toAuth(values.auth),
    visibility: values.visibility,
    category: orUndefined(values.category),
    description: orUndefined(values.description),
    base_url: orUndefined(values.baseUrl),
    include: include.length > 0 ? include : undefined,
    exclude: exclude.length > 0 ? exclude : undefined,
  };
}
