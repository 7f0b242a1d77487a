import type { ChosenExtension } from '../../tools/proposal.ts';
import type { GatewayRequest } from '../shared/gateway-request.ts';
import type { RegisterOptions } from './register-options.ts';

/** The description, or where the gateway finds it. */
export type Description =
  | { readonly text: string }
  | { readonly url: string }
  | { readonly proposal_id: string; readonly extensions: readonly ChosenExtension[] };

const PATH = '/api/v1/register';

/** The request that submits a registration (docs/contract.md#registration). `auth` has the credential. */
export function registrationRequest(
  description: Description,
  options: RegisterOptions,
  auth: object | undefined,
): GatewayRequest {
  const { include, exclude, description: about } = options;
  if ('proposal_id' in description) return encodeJson(options, { auth, ...description });
  if ('url' in description) return encodeJson(options, { auth, spec_url: description.url });
  // A query has no credentials and no filters, and it is a part of the head, which is small.
  if (auth || include || exclude || about || options.confirmOrigin) {
    return encodeJson(options, { auth, spec_raw: description.text });
  }
  return encodeDocument(options, description.text);
}

function encodeJson(options: RegisterOptions, more: object): GatewayRequest {
  const { include, exclude, description, confirmOrigin: confirm_origins } = options;
  const members = {
    ...queryMembers(options),
    description,
    confirm_origins,
    include,
    exclude,
    ...more,
  };
  const body = JSON.stringify(options.dryRun ? { ...members, dry_run: true } : members);
  return { method: 'POST', path: PATH, body };
}

/** A description alone is sent unchanged: as a JSON string it would be larger. */
function encodeDocument(options: RegisterOptions, text: string): GatewayRequest {
  const members = Object.entries(queryMembers(options));
  const query = new URLSearchParams(
    members.filter((member): member is [string, string] => member[1] !== undefined),
  );
  if (options.dryRun) query.set('dry_run', 'true');
  const type = /^[\s\ufeff]*\{/.test(text) ? 'json' : 'yaml';
  return {
    method: 'POST',
    path: `${PATH}?${query}`,
    headers: { 'content-type': `application/${type}` },
    body: text,
  };
}

const queryMembers = ({ name, category, baseUrl }: RegisterOptions) => ({
  name,
  category,
  base_url: baseUrl,
});
