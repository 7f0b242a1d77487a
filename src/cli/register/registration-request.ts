import { aboutIn } from '../../registrations/request/registration-input.ts';
import type { ChosenExtension } from '../../tools/proposal.ts';
import { formRequest, type GatewayRequest } from '../shared/gateway-request.ts';
import type { RegisterOptions } from './register-options.ts';

/** The description, or where the gateway finds it. */
export type Description =
  | { readonly text: string }
  | { readonly url: string }
  | { readonly proposal_id: string; readonly extensions: readonly ChosenExtension[] };

const PATH = '/api/v1/register';

/** The request that submits a registration (docs/contract.md#registration). `auth` has the credential. */
export async function registrationRequest(
  source: Description,
  { name, baseUrl, confirmOrigin, include, exclude, dryRun, ...others }: RegisterOptions,
  auth: object | undefined,
): Promise<GatewayRequest> {
  const about = { name, ...aboutIn(others), base_url: baseUrl };
  const choices = { confirm_origins: confirmOrigin, include, exclude, dry_run: dryRun };
  const members = { ...about, ...choices, auth };
  if ('text' in source) return formRequest(PATH, members, source.text);
  const body = 'url' in source ? { ...members, spec_url: source.url } : { ...members, ...source };
  return { method: 'POST', path: PATH, body: JSON.stringify(body) };
}
