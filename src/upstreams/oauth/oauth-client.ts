import type { UpstreamRequest } from '../../tools/model.ts';
import type { RequestSender } from '../../tools/tool-connection.ts';
import type { AccessToken, OauthCredential } from './access-token.ts';
import type { AccessTokens } from './access-tokens.ts';

export interface OauthClientOptions {
  /** The guarded client. */
  readonly client: RequestSender;
  readonly tokens: AccessTokens;
  readonly credential: OauthCredential;
  /** The origins that get the token; requests to others are sent without it. */
  readonly origins: ReadonlySet<string>;
}

const UNAUTHORIZED = 401;

/**
 * Creates the client of a registration with an OAuth credential: it adds the access token to every request, and repeats a
 * request once, with a new token, if the upstream refuses the old one.
 */
export function createOauthClient(options: OauthClientOptions): RequestSender {
  const { client, tokens, credential, origins } = options;
  return {
    addsCredential: true,
    async send(request, sendOptions) {
      if (!origins.has(request.origin)) return client.send(request, sendOptions);
      const token = await tokens.get(credential, sendOptions);
      const response = await client.send(withToken(request, token), sendOptions);
      if (response.status !== UNAUTHORIZED) return { ...response, hidden: token.hidden };
      const renewed = await tokens.renew(credential, token, sendOptions);
      if (!renewed) return { ...response, hidden: token.hidden };
      const second = await client.send(withToken(request, renewed), sendOptions);
      return { ...second, hidden: [...renewed.hidden, ...token.hidden] };
    },
  };
}

const withToken = (request: UpstreamRequest, { value }: AccessToken): UpstreamRequest => ({
  ...request,
  headers: { ...request.headers, authorization: `Bearer ${value.reveal()}` },
});
