import { createLru } from '../../platform/kernel/memo.ts';
import { isObject, type JsonObject } from '../../platform/kernel/plain-json.ts';
import type { Clock } from '../../platform/kernel/time.ts';
import type { FetchJson } from './key-sets.ts';
import { cleanName, type Method, type OAuthClient, redirectsIn } from './oauth-clients.ts';
import { OAuthError } from './oauth-error.ts';

export const MAX_DOCUMENT_BYTES = 5 * 1024;
/** Characters of the address of a document. */
const MAX_ADDRESS = 500;
export const MAX_KNOWN_DOCUMENTS = 1000;
const FRESH_MS = 60 * 60_000;
/** How long an address that failed is not asked again. */
const FAILED_MS = 30_000;
/** Documents that are fetched at once: an address that responds slowly must not hold many connections. */
export const MAX_FETCHES = 16;

/**
 * Copies of the documents of known hosts, as they publish them: some are behind a challenge that programs cannot pass.
 * Keys are fetched: they change.
 */
const SHIPPED: Readonly<Record<string, JsonObject>> = {
  'https://claude.ai/oauth/mcp-oauth-client-metadata': {
    client_name: 'Claude',
    redirect_uris: [
      'https://claude.ai/api/mcp/auth_callback',
      'https://claude.com/api/mcp/auth_callback',
    ],
  },
  'https://claude.ai/oauth/claude-code-client-metadata': {
    client_name: 'Claude Code',
    redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'],
  },
  'https://chatgpt.com/oauth/codex/client.json': {
    client_name: 'Codex',
    redirect_uris: ['http://127.0.0.1/callback', 'http://localhost/callback'],
  },
  'https://vscode.dev/oauth/client-metadata.json': {
    client_name: 'Visual Studio Code',
    redirect_uris: [
      'http://127.0.0.1/',
      'http://localhost/',
      'https://vscode.dev/redirect',
      'https://insiders.vscode.dev/redirect',
    ],
  },
};

/** ChatGPT has a document for each connector. */
const CHATGPT = /^https:\/\/chatgpt\.com\/oauth\/(?:([\w-]{1,100})\/)?client\.json$/;

function shippedDocument(id: string): JsonObject | undefined {
  const document = Object.hasOwn(SHIPPED, id) ? SHIPPED[id] : ofChatGpt(id);
  return document && { client_id: id, ...document };
}

function ofChatGpt(id: string): JsonObject | undefined {
  const [match, connector] = CHATGPT.exec(id) ?? [];
  if (match === undefined) return undefined;
  return {
    client_name: 'ChatGPT',
    redirect_uris: [
      connector === undefined
        ? 'https://chatgpt.com/connector_platform_oauth_redirect'
        : `https://chatgpt.com/connector/oauth/${connector}`,
    ],
    token_endpoint_auth_method: 'private_key_jwt',
    token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
    jwks_uri: 'https://chatgpt.com/oauth/jwks.json',
  };
}

/** Whether the gateway knows the site that publishes this document. */
export const isKnownDocument = (id: string): boolean => shippedDocument(id) !== undefined;

export interface ClientDocumentsDeps {
  readonly fetchJson: FetchJson;
  readonly clock: Clock;
  /** The document with which the client was connected last; undefined if it never was. */
  readonly lastGood: (id: string) => Promise<string | undefined>;
}

/** Clients whose id is the https address of a document about them (draft-ietf-oauth-client-id-metadata-document). */
export function createClientDocuments({ fetchJson, clock, lastGood }: ClientDocumentsDeps) {
  const known = createLru<{ client: OAuthClient; fetchedMs: number }>(MAX_KNOWN_DOCUMENTS);
  const failed = createLru<number>(MAX_KNOWN_DOCUMENTS);
  let running = 0;

  const fetchClient = async (id: string): Promise<OAuthClient> => {
    if (running >= MAX_FETCHES) throw new OAuthError('invalid_client', BUSY);
    running++;
    try {
      return readDocument(id, await fetchJson(id, MAX_DOCUMENT_BYTES));
    } finally {
      running--;
    }
  };
  const earlier = async (id: string): Promise<OAuthClient | undefined> => {
    const text = await lastGood(id);
    return (
      known.get(id)?.client ?? (text === undefined ? undefined : readDocument(id, JSON.parse(text)))
    );
  };

  /** Rejects with `invalid_client`. A document that cannot be fetched again is used as it was. */
  return async (id: string): Promise<OAuthClient> => {
    assertAddress(id);
    const shipped = shippedDocument(id);
    if (shipped) return readDocument(id, shipped);
    const found = known.get(id);
    const nowMs = clock.now();
    if (found && found.fetchedMs + FRESH_MS > nowMs) return found.client;
    if ((failed.get(id) ?? 0) <= nowMs) {
      try {
        const client = await fetchClient(id);
        known.set(id, { client, fetchedMs: nowMs });
        return client;
      } catch (error) {
        // What is wrong with a document that was fetched is said.
        if (error instanceof OAuthError) throw error;
        failed.set(id, nowMs + FAILED_MS);
      }
    }
    const client = await earlier(id);
    if (client) return client;
    throw new OAuthError('invalid_client', NOT_FETCHED);
  };
}

const NOT_FETCHED =
  'The document of this client could not be fetched. If the gateway has no way to the internet, its operator sets OAUTH_CLIENT_DOCUMENTS=off.';
const BUSY = 'Too many documents of clients are being fetched. Try again in a few seconds.';

/** Throws `invalid_client` for an address that the draft does not allow. */
function assertAddress(id: string): void {
  const url = id.length <= MAX_ADDRESS ? URL.parse(id) : null;
  const isPlain = url?.href === id && url.protocol === 'https:' && url.pathname !== '/';
  if (url && isPlain && url.username === '' && url.password === '' && !id.includes('#')) return;
  throw new OAuthError(
    'invalid_client',
    'A client id that is an address is https, has a path, and no fragment and no user name.',
  );
}

/** Throws `invalid_client`: the client itself is wrong, whatever is wrong with its document. */
function readDocument(id: string, document: unknown): OAuthClient {
  if (!isObject(document) || document['client_id'] !== id) {
    throw new OAuthError('invalid_client', 'The document of this client is not about this client.');
  }
  const { host } = new URL(id);
  const methods = methodsOf(document);
  const keysUri = keysUriOf(document);
  if (methods.length === 0 || (!methods.includes('none') && !keysUri)) {
    throw new OAuthError(
      'invalid_client',
      'The document of this client names no method that the gateway has: none, or private_key_jwt with jwks_uri.',
    );
  }
  return {
    key: id,
    name: cleanName(document['client_name']) ?? host,
    identity: { kind: 'verified', host },
    redirectUris: redirectsOf(document),
    methods,
    secretDigest: undefined,
    keysUri,
    document: JSON.stringify(document),
  };
}

function redirectsOf(document: JsonObject): readonly string[] {
  try {
    return redirectsIn(document['redirect_uris']);
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    throw new OAuthError('invalid_client', `The document of this client: ${error.message}`);
  }
}

/** A published document has no secret. */
const METHODS: readonly Method[] = ['none', 'private_key_jwt'];

function methodsOf(document: JsonObject): readonly Method[] {
  const listed = document['token_endpoint_auth_methods_supported'];
  const named = [
    document['token_endpoint_auth_method'] ?? 'none',
    ...(Array.isArray(listed) ? listed : []),
  ];
  return METHODS.filter((method) => named.includes(method));
}

/** Keys within the document are not read: no host publishes them there. */
function keysUriOf({ jwks_uri: uri }: JsonObject): string | undefined {
  return typeof uri === 'string' && URL.parse(uri)?.protocol === 'https:' ? uri : undefined;
}
