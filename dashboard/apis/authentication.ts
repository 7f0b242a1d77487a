import type { AdminInput } from '../api/admin-types.ts';

type Auth = NonNullable<AdminInput<'POST /tenants/:tenant/registrations'>['auth']>;
export type AuthType = Auth['type'];

/** What the form for a credential holds; the members of other types stay while one chooses. */
export interface AuthenticationValues {
  readonly type: AuthType;
  readonly token: string;
  readonly username: string;
  readonly password: string;
  readonly in: NonNullable<Auth['in']>;
  readonly keyName: string;
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string;
}

export const NO_AUTHENTICATION: AuthenticationValues = {
  type: 'none',
  token: '',
  username: '',
  password: '',
  in: 'header',
  keyName: '',
  tokenUrl: '',
  clientId: '',
  clientSecret: '',
  scope: '',
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
