import type { ParameterBinding, PresetServer, Tool } from '../tools/model.ts';
import { familyOf } from './families/family-of.ts';
import { readSample } from './read-sample.ts';
import type { SandboxResponse } from './sandbox-response.ts';
import type { UpstreamFamily } from './upstream-family.ts';

/** An upstream operation that the sandbox serves. */
export interface SandboxRoute {
  readonly presetId: string;
  readonly tool: Tool;
  readonly family: UpstreamFamily;
  /** Matches the path below the base address of the preset, with a group for each path parameter, in order. */
  readonly pattern: RegExp;
  /** Names of the path parameters, in order. */
  readonly pathNames: readonly string[];
  /** Undefined if the tool has no sample file. */
  readonly sample: SandboxResponse | undefined;
}

/** The routes of one preset, read from its tools and the sample files. */
export function routesOf(preset: PresetServer): SandboxRoute[] {
  return preset.tools.map((tool) => ({
    presetId: preset.id,
    tool,
    family: familyOf(preset.baseUrl),
    pattern: patternOf(tool.path),
    pathNames: [...tool.path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name ?? ''),
    sample: readSample(preset, tool.name),
  }));
}

function patternOf(template: string): RegExp {
  const parts = template
    .split(/\{[^}]+\}/)
    .map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('([^/]+)')}$`);
}

/** Whether the upstream requires this parameter, even if the gateway supplies it. */
export function isRequired(tool: Tool, { name, source }: ParameterBinding): boolean {
  if (source.kind !== 'argument') return source.kind === 'fixed';
  const required = tool.inputSchema['required'];
  return (
    source.computedDefault !== undefined ||
    Object.hasOwn(tool.alternative?.replaces ?? {}, name) ||
    (Array.isArray(required) && required.includes(source.property))
  );
}
