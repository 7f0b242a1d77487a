import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An OpenID Connect provider at which one person is signed in already. */
export interface OidcProvider {
  readonly issuer: string;
  /** Claims of the next id tokens, besides those of the protocol. */
  claims: Record<string, unknown>;
  /** The parameters of the last authorisation request. */
  readonly requested: URLSearchParams;
  close(): void;
}

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

export async function startOidcProvider(): Promise<OidcProvider> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const state = { claims: {}, requested: new URLSearchParams() };
  const codes = new Map<string, URLSearchParams>();
  const idToken = (asked: URLSearchParams): string => {
    const seconds = Math.floor(Date.now() / 1000);
    const payload = {
      iss: issuer,
      aud: asked.get('client_id'),
      nonce: asked.get('nonce'),
      iat: seconds,
      exp: seconds + 60,
      ...state.claims,
    };
    const signed = `${encode({ alg: 'RS256', kid: 'one' })}.${encode(payload)}`;
    return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`;
  };
  const authorise = (url: URL, response: ServerResponse): void => {
    state.requested = url.searchParams;
    const code = randomUUID();
    codes.set(code, url.searchParams);
    const back = new URL(url.searchParams.get('redirect_uri') ?? '');
    back.searchParams.set('code', code);
    back.searchParams.set('state', url.searchParams.get('state') ?? '');
    response.writeHead(302, { location: back.href }).end();
  };
  const exchange = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const given = new URLSearchParams(Buffer.concat(await request.toArray()).toString());
    const asked = codes.get(given.get('code') ?? '');
    codes.delete(given.get('code') ?? '');
    const verifier = given.get('code_verifier') ?? '';
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    if (!asked || asked.get('code_challenge') !== challenge) {
      send(response, { error: 'invalid_grant' }, 400);
      return;
    }
    const tokens = { access_token: 'access-token', token_type: 'Bearer', expires_in: 60 };
    send(response, { ...tokens, id_token: idToken(asked) });
  };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', issuer);
    if (url.pathname === '/authorize') authorise(url, response);
    else if (url.pathname === '/token') void exchange(request, response);
    else if (url.pathname === '/keys') {
      const key = { ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' };
      send(response, { keys: [key] });
    } else
      send(response, {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        id_token_signing_alg_values_supported: ['RS256'],
      });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    get claims() {
      return state.claims;
    },
    set claims(claims) {
      state.claims = claims;
    },
    get requested() {
      return state.requested;
    },
    close: () => void server.close(),
  };
}

function send(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
