import type { IncomingHttpHeaders } from 'node:http';
import type { JsonObject } from '../src/platform/kernel/plain-json.ts';
import { readSample } from '../src/public-data/preset-samples.ts';
import type { ParameterBinding, PresetServer, Tool } from '../src/tools/model.ts';
import { answerQuestion } from './answers/answer-question.ts';
import { createQuestion } from './answers/question.ts';
import { familyOf, type Refusal, type SandboxFile } from './families.ts';
import type { FaultPlan, SimulatedFault } from './faults.ts';
import { textResponse } from './sandbox-response.ts';

/** An upstream operation that the sandbox serves. */
export type SandboxRoute = ReturnType<typeof routesOf>[number];

/** The routes of one preset, read from its tools and the sample files. */
export const routesOf = (preset: PresetServer) =>
  preset.tools.map((tool) => ({
    presetId: preset.id,
    tool,
    family: familyOf(preset.baseUrl),
    /** Matches the path below the base address of the preset, with a group for each path parameter, in order. */
    pattern: patternOf(tool.path),
    /** Names of the path parameters, in order. */
    pathNames: [...tool.path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name ?? ''),
    /** Undefined if the tool has no sample file. */
    sample: readSample(preset, tool.name),
  }));

function patternOf(template: string): RegExp {
  const parts = template
    .split(/\{[^}]+\}/)
    .map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('([^/]+)')}$`);
}

/** A request below the base address of a preset. */
interface SimulatedRequest {
  readonly method: string;
  /** Path below the base address. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** The JSON object in the body, if there is one. */
  readonly body: JsonObject | undefined;
  readonly nowMs: number;
  /** The fault that the request itself selects. */
  readonly fault: SimulatedFault | undefined;
}

interface SimulatedResponse {
  readonly response: SandboxFile;
  readonly delayMs?: number;
}

/** Responds as the upstream of a preset would. `routes` are those of one preset, at least one. */
export function simulateUpstream(
  routes: readonly SandboxRoute[],
  request: SimulatedRequest,
  faults: FaultPlan,
): SimulatedResponse {
  for (const route of routes) {
    const match = route.tool.method === request.method ? route.pattern.exec(request.path) : null;
    if (match) {
      const fault = request.fault ?? faults.take(route.presetId, route.tool.name);
      return respondAtRoute(route, request, match.slice(1).map(decodeSegment), fault);
    }
  }
  const [first] = routes;
  const response =
    first?.family.file?.(request.path, keyRefusalOf(first.tool, sentIn(first, request, []))) ??
    first?.family.refuse('unknown_path', undefined) ??
    textResponse('This preset has no operations.\n', 404);
  return { response };
}

function respondAtRoute(
  route: SandboxRoute,
  request: SimulatedRequest,
  pathValues: readonly string[],
  fault: SimulatedFault | undefined,
): SimulatedResponse {
  const { family, sample, tool, pathNames } = route;
  if (!sample) return { response: textResponse(`There is no sample for ${tool.name}.\n`, 501) };
  const refusal = refusalOf(tool, sentIn(route, request, pathValues));
  const textOf = (name: string): string =>
    (pathNames.includes(name) ? pathValues[pathNames.indexOf(name)] : request.query.get(name)) ??
    '';
  const question = createQuestion({ tool, textOf, ...request });
  const { response, hasData } = refusal
    ? { response: family.refuse(refusal, sample), hasData: false }
    : answerQuestion(question, family, sample);
  return {
    response: fault?.respond?.({ family, response, hasData }) ?? response,
    delayMs: fault?.delayMs ?? 0,
  };
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The value that a request has for a parameter; empty if it was not sent. */
type SentValue = (binding: ParameterBinding) => string;

const sentIn =
  (
    { pathNames }: SandboxRoute,
    { query, headers }: SimulatedRequest,
    pathValues: readonly string[],
  ): SentValue =>
  (binding) => {
    if (binding.in === 'query') return query.get(binding.name) ?? '';
    if (binding.in === 'header') return String(headers[binding.name.toLowerCase()] ?? '');
    if (binding.in === 'path') return pathValues[pathNames.indexOf(binding.name)] ?? '';
    return headers.cookie ?? '';
  };

/** Why a request is refused, or undefined if it is not. The key is checked first, as upstreams do. */
function refusalOf(tool: Tool, sent: SentValue): Refusal | undefined {
  const missing = tool.parameters.find(
    (binding) =>
      isRequired(tool, binding) && sent(binding) === '' && !isReplaced(tool, binding, sent),
  );
  return keyRefusalOf(tool, sent) ?? (missing && { missing: missing.name });
}

/** Keys that the simulated upstreams refuse; every other key is valid. */
const BAD_KEYS: ReadonlyMap<string, Refusal> = new Map([
  ['', 'unregistered_key'],
  ['wrong', 'unregistered_key'],
  ['unregistered', 'unregistered_key'],
  ['expired', 'expired_key'],
  ['blocked-ip', 'blocked_ip'],
  ['quota', 'quota'],
]);

/** Why the keys of a request are refused, or undefined if they are not. */
function keyRefusalOf({ parameters }: Tool, sent: SentValue): Refusal | undefined {
  for (const binding of parameters) {
    if (binding.source.kind !== 'secret') continue;
    const key = sent(binding).slice(binding.source.prefix.length);
    // A percent sign that remains after decoding means that the key was encoded twice, so no upstream knows it.
    const refusal = key.includes('%') ? 'unregistered_key' : BAD_KEYS.get(key);
    if (refusal) return refusal;
  }
  return undefined;
}

/** Whether another parameter was sent instead of this one, for which the gateway then computes no default. */
function isReplaced({ parameters }: Tool, { source }: ParameterBinding, sent: SentValue): boolean {
  const instead = (source.kind === 'argument' && source.computedDefault?.unless) || [];
  return parameters.some(
    (other) =>
      other.source.kind === 'argument' &&
      instead.includes(other.source.property) &&
      sent(other) !== '',
  );
}

/** Whether the upstream requires this parameter, even if the gateway supplies it. */
function isRequired(tool: Tool, { name, source }: ParameterBinding): boolean {
  if (source.kind !== 'argument') return source.kind === 'fixed';
  const required = tool.inputSchema['required'];
  return (
    source.computedDefault !== undefined ||
    Object.hasOwn(tool.alternative?.replaces ?? {}, name) ||
    (Array.isArray(required) && required.includes(source.property))
  );
}
