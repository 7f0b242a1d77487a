import type { AdminInput } from '../api/call-admin.ts';

type Auth = NonNullable<AdminInput<'POST /tenants/:tenant/registrations'>['auth']>;
export type AuthType = Auth['type'];

/** What the form for a credential holds; the members of other types stay while one chooses. */
export type AuthenticationValues = Readonly<typeof NO_AUTHENTICATION>;

export const NO_AUTHENTICATION = {
  type: 'none' as AuthType,
  token: '',
  username: '',
  password: '',
  in: 'header' as NonNullable<Auth['in']>,
  keyName: '',
  tokenUrl: '',
  clientId: '',
  clientSecret: '',
  scope: '',
  providerKey: 'PUBLIC_DATA_SERVICE_KEY',
};

/** Only the members of the chosen type. */
export function toAuth(values: AuthenticationValues): Auth {
  const { type, token, username, password, clientId, clientSecret, scope } = values;
  switch (type) {
    case 'none':
      return { type };
    case 'bearer':
      return { type, token };
    case 'basic':
      return { type, username, password };
    case 'api_key':
      return { type, in: values.in, key_name: values.keyName, token };
    case 'provider_key':
      return { type, name: values.providerKey };
    case 'oauth2_client_credentials':
      return {
        type,
        token_url: values.tokenUrl,
        client_id: clientId,
        client_secret: clientSecret,
        ...(scope && { scope }),
      };
  }
}

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
export type SourceValues = Readonly<typeof NO_SOURCE>;

export const NO_SOURCE = {
  kind: 'address' as SourceKind,
  url: '',
  text: '',
  file: null as ReadFile | null,
};

/** What the form for a new API holds. */
export type ApiValues = Readonly<typeof EMPTY_FORM>;

export const EMPTY_FORM = {
  source: NO_SOURCE as SourceValues,
  name: '',
  auth: NO_AUTHENTICATION as AuthenticationValues,
  category: '',
  description: '',
  baseUrl: '',
  include: [] as readonly Filter[],
  exclude: [] as readonly Filter[],
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
    category: orUndefined(values.category),
    description: orUndefined(values.description),
    base_url: orUndefined(values.baseUrl),
    include: include.length > 0 ? include : undefined,
    exclude: exclude.length > 0 ? exclude : undefined,
  };
}
