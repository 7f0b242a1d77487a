import { createHash, randomBytes } from 'node:crypto';
import { serverDocumentsOf } from '../../access/oauth/oauth-addresses.ts';
import { newAuthorizationCode } from '../../platform/kernel/ids.ts';
import { isObject, type JsonObject } from '../../platform/kernel/plain-json.ts';

/** One check, and what came of it. */
export interface StepResult {
  readonly step: string;
  readonly isOk: boolean;
  /** Whether it works, but should not stay as it is. */
  readonly isWarning?: boolean;
  /** What was found; of a failure, with its usual cause. */
  readonly finding: string;
}

/** A check that failed: what was found, and its usual cause. */
export class Failure extends Error {
  constructor(found: string, cause: string) {
    super(`${found} ${cause}`);
  }
}

/** Hosts wait for ten seconds. */
const PATIENCE_MS = 10_000;

const REDIRECT = 'http://127.0.0.1:33418/callback';

/** What a step needs of those before it. */
interface Journey {
  readonly url: string;
  documentAddress: string;
  issuer: string;
  server: JsonObject;
  clientId: string;
}

type Step = (journey: Journey) => Promise<string>;

/**
 * Walks through the sign-in as a host does, from outside, up to the page that asks a person. It changes nothing: registrations
 * are not stored, and no person is asked.
 */
export async function* checkSignIn(url: string): AsyncGenerator<StepResult> {
  const journey = { url, documentAddress: '', issuer: '', server: {}, clientId: '' };
  for (const [step, run] of Object.entries(STEPS)) {
    try {
      yield { step, isOk: true, finding: await run(journey) };
    } catch (error) {
      yield { step, isOk: false, finding: describe(error) };
      return;
    }
    if (step === 'server' && journey.issuer !== url) return;
  }
}

function describe(error: unknown): string {
  if (error instanceof Failure) return error.message;
  const reason = error instanceof Error ? String(error.cause ?? error.message) : String(error);
  return `No response within 10 s, or none at all: ${reason}. The address may not be reachable from here, or its certificate may not be valid.`;
}

const STEPS: Readonly<Record<string, Step>> = {
  challenge: async (journey) => {
    const response = await ask(`${journey.url}/mcp`, { method: 'POST' });
    if (response.status === 404) {
      throw new Failure(
        '404 at /mcp.',
        'A proxy may route /mcp/ and what follows, but not /mcp itself.',
      );
    }
    if (response.status === 403) throw new Failure('403 at /mcp.', FIREWALL);
    if (response.status !== 401) {
      throw new Failure(
        `${response.status} at /mcp instead of 401.`,
        'This may be another server.',
      );
    }
    const challenge = response.headers.get('www-authenticate') ?? '';
    journey.documentAddress = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? '';
    if (journey.documentAddress !== '') return '401 names the document of the resource';
    throw new Failure(
      '401 names no document in WWW-Authenticate.',
      'OAUTH may be off (BASE_URL must start with https://), or a proxy removes the header.',
    );
  },
  resource: async (journey) => {
    const { documentAddress, url } = journey;
    if (new URL(documentAddress).host !== new URL(url).host) {
      throw new Failure(
        `The document is at another host, ${new URL(documentAddress).host}.`,
        `BASE_URL of the gateway is probably not ${url}.`,
      );
    }
    const document = await askForObject(documentAddress);
    if (document['resource'] !== `${url}/mcp`) {
      throw new Failure(
        `The document is of ${JSON.stringify(document['resource'])} and not of ${url}/mcp.`,
        'BASE_URL must be the address that people enter in a host, without a slash at its end.',
      );
    }
    const [issuer] = [document['authorization_servers']].flat();
    if (typeof issuer !== 'string') {
      throw new Failure('The document names no authorization server.', 'A proxy may change it.');
    }
    journey.issuer = issuer;
    return `the document is of ${url}/mcp`;
  },
  server: async (journey) => {
    const { issuer } = journey;
    const { oauth, openId } = serverDocumentsOf(issuer);
    const server = await askForObject(oauth).catch(() => askForObject(openId));
    if (server['issuer'] !== issuer) {
      throw new Failure(
        `The document of the server names the issuer ${JSON.stringify(server['issuer'])} and not ${issuer}.`,
        'Hosts compare them to the character, a slash at the end included.',
      );
    }
    journey.server = server;
    return issuer === journey.url ? 'the gateway itself' : `${issuer}, which is checked no further`;
  },
  registration: async (journey) => {
    const address = journey.server['registration_endpoint'];
    if (typeof address !== 'string') return 'off (OAUTH_CLIENTS)';
    const { status, body } = await askForJson(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        client_name: 'tool-gateway doctor',
        redirect_uris: [REDIRECT],
        token_endpoint_auth_method: 'none',
      }),
    });
    const id = isObject(body) ? body['client_id'] : undefined;
    if (status !== 201 || typeof id !== 'string') {
      throw new Failure(`${status} instead of 201.`, FIREWALL);
    }
    journey.clientId = id;
    return 'a client is registered';
  },
  consent: async (journey) => {
    const { server, clientId, url } = journey;
    if (clientId === '') return 'not checked without a registration';
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: REDIRECT,
      code_challenge: createHash('sha256').update(randomBytes(32)).digest('base64url'),
      code_challenge_method: 'S256',
      resource: `${url}/mcp`,
      state: 'doctor',
    });
    const asked = await ask(`${server['authorization_endpoint']}?${query}`, {
      headers: { accept: 'text/html' },
    });
    const location = asked.headers.get('location') ?? '';
    if (asked.status !== 302 || !location.startsWith('/admin/connect/')) {
      throw new Failure(
        `${asked.status} at ${server['authorization_endpoint']} instead of the page for a person.`,
        'A proxy may not route /authorize, or change the address of a redirect.',
      );
    }
    const page = await ask(new URL(location, url).href, { headers: { accept: 'text/html' } });
    if (page.status !== 200) {
      throw new Failure(`${page.status} at /admin/connect.`, 'A proxy may not route /admin.');
    }
    return 'the page that asks a person is there';
  },
  tokens: async ({ server, clientId }) => {
    const began = performance.now();
    const { status, body } = await askForJson(String(server['token_endpoint']), {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code: newAuthorizationCode(),
        client_id: clientId || 'unknown',
        redirect_uri: REDIRECT,
        code_verifier: randomBytes(32).toString('base64url'),
      }),
    });
    const error = isObject(body) ? body['error'] : undefined;
    if (error === 'invalid_grant' || error === 'invalid_client') {
      return `a wrong code is refused within ${Math.ceil(performance.now() - began)} ms`;
    }
    throw new Failure(`${status} for a wrong code.`, FIREWALL);
  },
  'access token': async ({ url }) => {
    const { status, headers } = await ask(`${url}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${UNKNOWN_TOKEN}` },
    });
    if (status === 403) throw new Failure('403 with an access token.', FIREWALL);
    if (status === 401 && headers.get('www-authenticate')?.includes('invalid_token')) {
      return 'an unknown one is refused, and the header arrives';
    }
    throw new Failure(
      `${status}, as without an access token.`,
      'A proxy may remove the header Authorization.',
    );
  },
};

/** In the form of an access token. No gateway makes it. */
const UNKNOWN_TOKEN = `tg_at_${'0'.repeat(43)}`;

const FIREWALL =
  'A firewall in front of the gateway may refuse programs: let requests of hosts pass.';

const ask = (url: string, init: RequestInit = {}): Promise<Response> =>
  fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(PATIENCE_MS) });

async function askForJson(url: string, init: RequestInit = {}) {
  const response = await ask(url, init);
  const text = await response.text();
  try {
    return { status: response.status, body: JSON.parse(text) as unknown };
  } catch {
    return { status: response.status, body: undefined };
  }
}

async function askForObject(url: string): Promise<JsonObject> {
  const { status, body } = await askForJson(url);
  if (status === 200 && isObject(body)) return body;
  throw new Failure(
    `${status} at ${url}, and no JSON object.`,
    'A proxy may keep /.well-known for itself.',
  );
}
