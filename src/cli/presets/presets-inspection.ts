import { prepareTool } from '../../calls/prepared-tool.ts';
import { createToolListEncoder } from '../../dialects/plain/encode-tool-list.ts';
import { routesOf } from '../../sandbox/sandbox-route.ts';
import { presetEntries } from '../../tools/catalog-entry.ts';
import type { JsonSchema, PresetServer, Tool } from '../../tools/model.ts';
import { checkSample, NOTHING, type SampleCheck } from './presets-sample-check.ts';

/** What `presets check` finds out about one tool. */
export interface ToolInspection extends SampleCheck {
  readonly presetId: string;
  readonly file: string;
  readonly tool: string;
  /** Size of its entry in the answer to `tools/list`, in bytes. */
  readonly listedBytes: number;
}

/** Every listed tool is read by a model before it chooses; a long one crowds the others out. */
const MAX_LISTED_BYTES = 5000;
const MIN_DESCRIPTION_LENGTH = 100;

/** Looks at every tool of a preset as a caller and as its sample sees it. */
export function inspectPreset(preset: PresetServer): ToolInspection[] {
  const encode = createToolListEncoder();
  const emptyBytes = encode([]).length;
  const samples = new Map(routesOf(preset).map(({ tool, sample }) => [tool, sample]));
  return presetEntries(preset, '').map((entry) => {
    const { tool } = entry;
    prepareTool(tool);
    const sample = samples.get(tool);
    const checked = sample ? checkSample(tool, sample) : NOTHING;
    const listedBytes = encode([entry]).length - emptyBytes;
    return {
      presetId: preset.id,
      file: preset.filePath,
      tool: tool.name,
      listedBytes,
      ...checked,
      warnings: [
        ...(sample ? checked.warnings : ['There is no sample: the sandbox cannot answer for it.']),
        ...sizeWarnings(listedBytes),
        ...wordWarnings(tool),
      ],
    };
  });
}

const sizeWarnings = (bytes: number): string[] =>
  bytes > MAX_LISTED_BYTES
    ? [`Its entry in tools/list has ${bytes} bytes; ${MAX_LISTED_BYTES} are enough.`]
    : [];

function wordWarnings({ description, inputSchema }: Tool): string[] {
  const properties = (inputSchema['properties'] ?? {}) as Record<string, JsonSchema>;
  const mute = Object.keys(properties).filter((name) => !properties[name]?.['description']);
  return [
    ...(description.length < MIN_DESCRIPTION_LENGTH
      ? [`The description has ${description.length} characters; say what it returns and when.`]
      : []),
    ...mute.map((name) => `The parameter ${name} has no description.`),
  ];
}
