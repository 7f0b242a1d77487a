import { createHash, randomBytes } from 'node:crypto';
import { type AdminClient, readResponse } from './admin-client.ts';
import type { JsonResponse, TestGateway } from './gateway.ts';

type Gateway = Pick<TestGateway, 'url'>;

export const REDIRECT = 'http://127.0.0.1:41234/callback';

/** A host that people connect: what it is registered with, and its secret of one request. */
export interface OAuthHost {
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly redirectUri: string;
  readonly verifier: string;
}

const challengeOf = (verifier: string): string =>
  createHash('sha256').update(verifier).digest('base64url');

export async function sendJson(
  gateway: Gateway,
  path: string,
  body: unknown,
): Promise<JsonResponse> {
  return readResponse(
    await fetch(`${gateway.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  );
}

/** Sends a form, as hosts ask for tokens. Undefined members are omitted. */
export async function sendForm(
  gateway: Gateway,
  path: string,
  members: Readonly<Record<string, string | undefined>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<JsonResponse> {
  const given = Object.entries(members).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  const body = new URLSearchParams(given);
  return readResponse(await fetch(`${gateway.url}${path}`, { method: 'POST', headers, body }));
}

/** Registers a host. */
export async function registerHost(
  gateway: Gateway,
  metadata: Readonly<Record<string, unknown>> = {},
): Promise<OAuthHost> {
  const { status, body } = await sendJson(gateway, '/register', {
    client_name: 'A test host',
    redirect_uris: [REDIRECT],
    token_endpoint_auth_method: 'none',
    ...metadata,
  });
  if (status !== 201) throw new Error(`Registration failed: ${JSON.stringify(body)}`);
  return {
    clientId: body.client_id,
    clientSecret: body.client_secret,
    redirectUri: body.redirect_uris[0],
    verifier: randomBytes(32).toString('base64url'),
  };
}

type Query = Readonly<Record<string, string | undefined>>;

/** The parameters of a valid request; those that are given replace them, and undefined ones are left out. */
export function authorizePath(host: OAuthHost, changes: Query = {}): string {
  const members = {
    response_type: 'code',
    client_id: host.clientId,
    redirect_uri: host.redirectUri,
    code_challenge: challengeOf(host.verifier),
    code_challenge_method: 'S256',
    state: 'of the host',
    ...changes,
  };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(members)) {
    if (value !== undefined) query.set(name, value);
  }
  return `/authorize?${query}`;
}

/** Opens the address as a browser does, which keeps the cookies of a request that is accepted. */
export async function openAuthorize(
  gateway: Gateway,
  browser: AdminClient,
  path: string,
): Promise<{ status: number; location: string; uid: string; text: string }> {
  const response = await fetch(`${gateway.url}${path}`, {
    redirect: 'manual',
    headers: { accept: 'text/html' },
  });
  for (const cookie of response.headers.getSetCookie()) {
    const [pair = ''] = cookie.split(';');
    browser.cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
  }
  const location = response.headers.get('location') ?? '';
  return {
    status: response.status,
    location,
    uid: location.split('/').at(-1) ?? '',
    text: await response.text(),
  };
}

/** What the consent page sends. */
export const CONSENT = { tenant: 'default', allowedTools: null, days: 30 };

/** Lets the host have a code, and returns where the browser goes with it. */
export async function consent(
  gateway: Gateway,
  browser: AdminClient,
  host: OAuthHost,
  choice: Readonly<Record<string, unknown>> = {},
): Promise<URL> {
  const { uid } = await openAuthorize(gateway, browser, authorizePath(host));
  const { status, body } = await browser.ask(`POST /connect/${uid}`, { ...CONSENT, ...choice });
  if (status !== 200) throw new Error(`Consent failed: ${JSON.stringify(body)}`);
  return new URL(body.location);
}

/** Exchanges a code as the host does; members that are given replace the usual ones. */
export const redeem = (
  gateway: Gateway,
  host: OAuthHost,
  code: string,
  changes: Query = {},
): Promise<JsonResponse> =>
  sendForm(gateway, '/token', {
    grant_type: 'authorization_code',
    code,
    client_id: host.clientId,
    client_secret: host.clientSecret,
    redirect_uri: host.redirectUri,
    code_verifier: host.verifier,
    ...changes,
  });

export const refresh = (
  gateway: Gateway,
  host: OAuthHost,
  token: string,
  changes: Query = {},
): Promise<JsonResponse> =>
  sendForm(gateway, '/token', {
    grant_type: 'refresh_token',
    refresh_token: token,
    client_id: host.clientId,
    client_secret: host.clientSecret,
    ...changes,
  });

export interface Connected {
  readonly host: OAuthHost;
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** Connects a host from the beginning to its first tokens. */
export async function connectHost(
  gateway: Gateway,
  browser: AdminClient,
  choice: Readonly<Record<string, unknown>> = {},
  metadata: Readonly<Record<string, unknown>> = {},
): Promise<Connected> {
  const host = await registerHost(gateway, metadata);
  const code = (await consent(gateway, browser, host, choice)).searchParams.get('code') ?? '';
  const { status, body } = await redeem(gateway, host, code);
  if (status !== 200) throw new Error(`The code was refused: ${JSON.stringify(body)}`);
  return { host, accessToken: body.access_token, refreshToken: body.refresh_token };
}
