import { OWN_TENANT } from '../../dialects/manage/authority.ts';
import { StartupError } from '../../platform/kernel/error.ts';
import {
  type Gateway,
  type GatewayRequest,
  notAGateway,
  refusalText,
  requestGateway,
} from '../shared/gateway-request.ts';
import type { Feature, OperationRunner, OperationTable, Run } from './operation-runner.ts';

/** A page has at most 100 API keys, each with a list of 200 tools. */
export const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
const TIMEOUT_MS = 30_000;

/** Runs operations on a running gateway (docs/contract.md#management). */
export function runThere<Table extends OperationTable>(
  { declared }: Feature<Table>,
  gateway: Gateway,
): OperationRunner<Table> {
  const run: Run = async (place, input) => {
    const { access, address } = declared[place] ?? {};
    const isOwn = access === 'key' && address !== undefined;
    if (isOwn && input['tenant'] !== undefined) throw new StartupError(OWN_TENANT_ONLY);
    const path = isOwn ? address.path : `/api/v1/admin${place.replace(/^\w+ /, '')}`;
    const response = await requestGateway(gateway, {
      ...requestFor(place.split(' ')[0] as GatewayRequest['method'], path, input),
      maxBytes: MAX_OUTPUT_BYTES,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (response.status >= 300) throw new StartupError(refusalText(gateway, response));
    const members: readonly string[] = declared[place]?.output.required ?? [];
    if (members.some((member) => !(member in response.body))) throw notAGateway(gateway.url);
    return response.body;
  };
  return { run, either: ({ there }) => there(gateway) };
}

const OWN_TENANT_ONLY =
  'A gateway elsewhere does this for the tenant of the API key only. Leave --tenant out, and use a key of that tenant.';

/** An operation with its input as a request: what is not in the path is in the query, or in the body. */
function requestFor(
  method: GatewayRequest['method'],
  pattern: string,
  input: Readonly<Record<string, unknown>>,
): GatewayRequest {
  const members = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const path = pattern.replace(/:(\w+)/g, (_match, name: string) => {
    const value = members.get(name) ?? OWN_TENANT;
    members.delete(name);
    return encodeURIComponent(String(value));
  });
  if (method !== 'GET' && method !== 'DELETE') {
    return { method, path, body: JSON.stringify(Object.fromEntries(members)) };
  }
  const query = new URLSearchParams([...members].map(([name, value]) => [name, String(value)]));
  return { method, path: query.size > 0 ? `${path}?${query}` : path };
}
