import { Type } from 'typebox';
import {
  CONNECT_CLIENT_NAMES,
  type ConnectTarget,
  connectClient,
  connectSnippet,
} from '../../access/connect/connect-clients.ts';
import { LANGUAGES, type Language } from '../../tools/catalog/in-language.ts';
import { personRoute } from './admin-route.ts';

export interface ConnectRoutesDeps {
  /** Address of the gateway; undefined if no setting says so. */
  readonly baseUrl: string | undefined;
}

/** In place of a key, for the page to replace. Every snippet contains it unchanged, and a key needs no quotes either. */
const KEY_PLACE = 'YOUR_API_KEY';

/** The clients with which a new user most likely begins. The others follow by name. */
const FIRST = ['curl', 'typescript-sdk', 'python-sdk', 'claude-code', 'cursor', 'vscode'];

/** `GET /connect`: how every client is set up, ready to copy. */
export const createConnectRoutes = ({ baseUrl }: ConnectRoutesDeps) => ({
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
      const clients = orderedNames().map((name) => clientOf(name, target, lang));
      // Some clients let a person sign in, and take no key.
      const withKey = clients.filter(({ snippet }) => snippet.includes(KEY_PLACE));
      return { keyPlace: KEY_PLACE, clients: withKey };
    },
  }),
});

const orderedNames = (): string[] => [...new Set([...FIRST, ...CONNECT_CLIENT_NAMES])];

function clientOf(name: string, target: ConnectTarget, lang?: Language) {
  const { title, language, instructions, instructionsKo } = connectClient(name);
  return {
    ...{ name, title, language },
    instructions: lang === 'ko' ? instructionsKo : instructions,
    snippet: connectSnippet(name, target),
  };
}
