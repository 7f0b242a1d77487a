import { type Command, Option } from 'commander';
import type { Secret } from '../../platform/kernel/secret.ts';
import type { AuthScheme } from '../../registrations/request/registration-request.ts';

/** The types that `--auth` accepts. */
const AUTH_TYPES = [
  'bearer',
  'basic',
  'api_key',
  'provider_key',
  'oauth2_client_credentials',
] as const;

type AuthType = Extract<AuthScheme['type'], (typeof AUTH_TYPES)[number]>;

const KEY_PLACES = ['header', 'query', 'cookie'] as const;

/** How the gateway authenticates at the API. None of it is secret; the credential is read elsewhere. */
export interface AuthOptions {
  readonly auth?: AuthType;
  readonly authIn?: (typeof KEY_PLACES)[number];
  readonly keyName?: string;
  readonly providerKey?: string;
  readonly tokenUrl?: string;
  readonly clientId?: string;
  readonly scope?: string;
  readonly username?: string;
}

export function addAuthOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--auth <type>',
        'how the gateway authenticates to the API (default: none)',
      ).choices(AUTH_TYPES),
    )
    .option('--username <name>', 'user name, for basic')
    .addOption(
      new Option('--auth-in <place>', 'where the token is sent, for api_key').choices(KEY_PLACES),
    )
    .option('--key-name <name>', 'name of the header, query parameter or cookie, for api_key')
    .option('--provider-key <name>', 'a provider key that your tenant has stored, for provider_key')
    .option('--token-url <address>', 'where the gateway gets tokens, for oauth2_client_credentials')
    .option('--client-id <id>', 'id of the client, for oauth2_client_credentials')
    .option('--scope <scope>', 'scope of the tokens, for oauth2_client_credentials');
}

type Part = Exclude<keyof AuthOptions, 'auth'>;

const FLAGS: Readonly<Record<Part, string>> = {
  authIn: '--auth-in',
  keyName: '--key-name',
  providerKey: '--provider-key',
  tokenUrl: '--token-url',
  clientId: '--client-id',
  scope: '--scope',
  username: '--username',
};

const PARTS: Readonly<Record<AuthType, { needs: readonly Part[]; takes: readonly Part[] }>> = {
  bearer: { needs: [], takes: [] },
  basic: { needs: [], takes: ['username'] },
  api_key: { needs: ['authIn', 'keyName'], takes: [] },
  provider_key: { needs: ['providerKey'], takes: [] },
  oauth2_client_credentials: { needs: ['tokenUrl', 'clientId'], takes: ['scope'] },
};

/** What is wrong with the options, naming them; undefined if they fit together. */
export function authIssue(options: AuthOptions): string | undefined {
  const { auth } = options;
  const given = (Object.keys(FLAGS) as Part[]).filter((part) => options[part] !== undefined);
  if (auth === undefined) {
    const [first] = given;
    return first && `${FLAGS[first]} needs --auth ${typeThatTakes(first)}.`;
  }
  const { needs, takes } = PARTS[auth];
  const missing = needs.filter((part) => !given.includes(part));
  if (missing.length > 0) {
    return `--auth ${auth} needs ${missing.map((part) => FLAGS[part]).join(' and ')}.`;
  }
  const other = given.find((part) => !needs.includes(part) && !takes.includes(part));
  return other && `${FLAGS[other]} is for --auth ${typeThatTakes(other)}, not for ${auth}.`;
}

const typeThatTakes = (part: Part): string =>
  AUTH_TYPES.find((type) => [...PARTS[type].needs, ...PARTS[type].takes].includes(part)) ?? '';

/** What the credential is called where it is asked for. */
export function credentialLabel({ auth, username }: AuthOptions): string {
  if (auth === 'oauth2_client_credentials') return 'Client secret';
  if (auth !== 'basic') return 'Token';
  return username === undefined
    ? 'User name and password, as username:password'
    : `Password of ${username}`;
}

/** The member `auth` of the request, or undefined if the credential has the wrong form. */
export function authMember(options: AuthOptions, credential: Secret): object | undefined {
  const { auth: type, username } = options;
  const secret = credential.reveal();
  if (type === 'basic') {
    if (username !== undefined) return { type, username, password: secret };
    // Some APIs take a key as the user name, so that both may be secret. A user name has no colon (RFC 7617).
    const colon = secret.indexOf(':');
    if (colon < 0) return undefined;
    return { type, username: secret.slice(0, colon), password: secret.slice(colon + 1) };
  }
  if (type === 'api_key') {
    return { type, in: options.authIn, key_name: options.keyName, token: secret };
  }
  if (type === 'oauth2_client_credentials') {
    const { tokenUrl: token_url, clientId: client_id, scope } = options;
    return { type, token_url, client_id, client_secret: secret, ...(scope && { scope }) };
  }
  return { type, token: secret };
}
