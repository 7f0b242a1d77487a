import { existsSync, readFileSync } from 'node:fs';
import type { ParameterBinding, PresetServer, Tool } from '../tools/model.ts';
import { familyOf } from './families/family-of.ts';
import type { SandboxResponse } from './sandbox-response.ts';
import type { UpstreamFamily } from './upstream-family.ts';

/** One upstream operation as the sandbox serves it. */
export interface SandboxRoute {
  readonly presetId: string;
  readonly tool: Tool;
  readonly family: UpstreamFamily;
  /** Matches the path below the preset's base address; a group for each path parameter, in order. */
  readonly pattern: RegExp;
  /** Names of the path parameters, in order. */
  readonly pathNames: readonly string[];
  /** Undefined when nobody has put a sample file there. */
  readonly sample: SandboxResponse | undefined;
}

const SAMPLES = new URL('./samples/', import.meta.url);

/** Content types as upstreams really send them. */
const FORMATS = [
  { extension: 'json', contentType: 'application/json;charset=UTF-8' },
  { extension: 'xml', contentType: 'text/xml;charset=UTF-8' },
];

/** The routes of one preset, read from its tools and the sample files. */
export function routesOf(preset: PresetServer): SandboxRoute[] {
  return preset.tools.map((tool) => ({
    presetId: preset.id,
    tool,
    family: familyOf(preset.baseUrl),
    pattern: patternOf(tool.path),
    pathNames: [...tool.path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name ?? ''),
    sample: readSample(preset.category, tool.name),
  }));
}

function patternOf(template: string): RegExp {
  const parts = template
    .split(/\{[^}]+\}/)
    .map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('([^/]+)')}$`);
}

function readSample(category: string, toolName: string): SandboxResponse | undefined {
  for (const { extension, contentType } of FORMATS) {
    const file = new URL(`${category}/${toolName}.${extension}`, SAMPLES);
    if (existsSync(file)) return { status: 200, contentType, body: readFileSync(file, 'utf8') };
  }
  return undefined;
}

/** Whether the upstream insists on this parameter, which the gateway may be the one to fill. */
export function isRequired(tool: Tool, { name, source }: ParameterBinding): boolean {
  if (source.kind !== 'argument') return source.kind === 'fixed';
  const required = tool.inputSchema['required'];
  return (
    source.computedDefault !== undefined ||
    (tool.grid && (name === 'nx' || name === 'ny')) ||
    (Array.isArray(required) && required.includes(source.property))
  );
}
