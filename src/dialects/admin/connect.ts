import { Type } from 'typebox';
import {
  CONNECT_CLIENT_NAMES,
  type ConnectTarget,
  connectClient,
  connectSnippet,
  mcpAddress,
  signInSnippet,
} from '../../access/connect/connect-clients.ts';
import { LANGUAGES, type Language } from '../../tools/catalog/in-language.ts';
import { personRoute } from './admin-route.ts';

export interface ConnectRoutesDeps {
  /** Address of the gateway; undefined if no setting says so. */
  readonly baseUrl: string | undefined;
  /** Whether hosts may connect without a key, when a person signs in. */
  readonly canSignIn: boolean;
}

/** In place of a key, for the page to replace. Every snippet contains it unchanged, and a key needs no quotes either. */
const KEY_PLACE = 'YOUR_API_KEY';

/** The clients with which a new user most likely begins. The others follow by name. */
const FIRST = ['curl', 'typescript-sdk', 'python-sdk', 'claude-code', 'cursor', 'vscode'];

/** `GET /connect`: how every client is set up, ready to copy. */
export const createConnectRoutes = ({ baseUrl, canSignIn }: ConnectRoutesDeps) => ({
  'GET /connect': personRoute({
    input: {
      origin: Type.String({ maxLength: 300, pattern: '^https?://[\\w.:\\[\\]-]+$' }),
      lang: Type.Optional(Type.Enum([...LANGUAGES])),
    },
    handle: (_context, { origin, lang }) => {
      const target: ConnectTarget = {
        url: (baseUrl ?? origin).replace(/\/+$/, ''),
        key: KEY_PLACE,
        // The paths of this machine mean nothing to another one, and would reveal how it is set up.
        command: ['node', '/path/to/tool-gateway/bin/tool-gateway.mjs'],
      };
      return {
        address: mcpAddress(target.url, {}),
        canSignIn,
        keyPlace: KEY_PLACE,
        clients: orderedNames().map((name) => clientOf(name, target, lang)),
      };
    },
  }),
});

const orderedNames = (): string[] => [...new Set([...FIRST, ...CONNECT_CLIENT_NAMES])];

/** How a client connects with a key, and without one when a person signs in; null if it cannot. */
function clientOf(name: string, target: ConnectTarget, lang?: Language) {
  const client = connectClient(name);
  const { title, language } = client;
  const snippet = connectSnippet(name, target);
  const takesKey = snippet.includes(KEY_PLACE);
  const instructions = lang === 'ko' ? client.instructionsKo : client.instructions;
  const signIn = takesKey ? signInSnippet(name, target) : snippet;
  const ofSignIn = lang === 'ko' ? client.signInInstructionsKo : client.signInInstructions;
  return {
    ...{ name, title, language },
    withKey: takesKey ? { instructions, snippet } : null,
    signIn:
      signIn === undefined ? null : { instructions: ofSignIn ?? instructions, snippet: signIn },
  };
}
