import type { IncomingHttpHeaders } from 'node:http';
import type { ParameterBinding, Tool } from '../tools/model.ts';
import { isRequired, type SandboxRoute } from './sandbox-route.ts';
import type { Refusal } from './upstream-family.ts';

/** The parts of a request that a route checks. */
export interface SandboxRequest {
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** Values of the route's path parameters, in order. */
  readonly pathValues: readonly string[];
}

/** Keys that the simulated upstreams refuse; every other key is valid. */
const BAD_KEYS: Readonly<Record<string, Refusal>> = {
  '': 'unregistered_key',
  wrong: 'unregistered_key',
  unregistered: 'unregistered_key',
  expired: 'expired_key',
  'blocked-ip': 'blocked_ip',
  quota: 'quota',
};

/** Why this request is refused, or undefined if it is not. The key is checked first, as upstreams do. */
export function refusalOf(route: SandboxRoute, request: SandboxRequest): Refusal | undefined {
  const refusal = keyRefusalOf(route, request);
  if (refusal) return refusal;
  const { tool } = route;
  const value = (binding: ParameterBinding) => sentValue(route, request, binding);
  const missing = tool.parameters.find(
    (binding) =>
      isRequired(tool, binding) && value(binding) === '' && !isReplaced(tool, binding, value),
  );
  return missing && { missing: missing.name };
}

/** Why the keys of this request are refused, or undefined if they are not. */
export function keyRefusalOf(route: SandboxRoute, request: SandboxRequest): Refusal | undefined {
  for (const binding of route.tool.parameters) {
    if (binding.source.kind !== 'secret') continue;
    const key = sentValue(route, request, binding).slice(binding.source.prefix.length);
    const refusal = keyRefusal(key);
    if (refusal) return refusal;
  }
  return undefined;
}

/** Whether another parameter was sent instead of this one, for which the gateway then computes no default. */
function isReplaced(
  tool: Tool,
  { source }: ParameterBinding,
  value: (binding: ParameterBinding) => string,
): boolean {
  const instead = (source.kind === 'argument' && source.computedDefault?.unless) || [];
  return tool.parameters.some(
    (other) =>
      other.source.kind === 'argument' &&
      instead.includes(other.source.property) &&
      value(other) !== '',
  );
}

/** A percent sign that remains after decoding means that the key was encoded twice, so no upstream knows it. */
const keyRefusal = (key: string): Refusal | undefined =>
  key.includes('%') ? 'unregistered_key' : Object.hasOwn(BAD_KEYS, key) ? BAD_KEYS[key] : undefined;

/** The value of a parameter in the query or the path; empty if it was not sent. */
export function parameterValue(route: SandboxRoute, request: SandboxRequest, name: string): string {
  const place = route.pathNames.indexOf(name);
  return (place < 0 ? request.query.get(name) : request.pathValues[place]) ?? '';
}

function sentValue(
  route: SandboxRoute,
  request: SandboxRequest,
  binding: ParameterBinding,
): string {
  if (binding.in === 'query') return request.query.get(binding.name) ?? '';
  if (binding.in === 'header') return String(request.headers[binding.name.toLowerCase()] ?? '');
  if (binding.in === 'path') return request.pathValues[route.pathNames.indexOf(binding.name)] ?? '';
  return request.headers.cookie ?? '';
}
