import { GatewayError } from '../../platform/kernel/error.ts';

/** Codes of RFC 6749 sections 4.1.2.1 and 5.2, RFC 7591 section 3.2.2 and RFC 8707 section 2. */
type OAuthErrorCode =
  | 'access_denied'
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_target'
  | 'invalid_redirect_uri'
  | 'invalid_client_metadata'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'interaction_required';

/** A refusal in the form that OAuth clients read. Its description never contains a secret. */
export class OAuthError extends GatewayError {
  readonly oauthCode: OAuthErrorCode;

  constructor(oauthCode: OAuthErrorCode, description: string) {
    super('invalid_request', description);
    this.name = 'OAuthError';
    this.oauthCode = oauthCode;
  }
}
