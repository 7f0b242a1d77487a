import { argumentReaderOf, prepareTool } from '../../calls/prepared-tool.ts';
import { createToolListEncoder } from '../../dialects/plain/encode.ts';
import { routesOf } from '../../sandbox/sandbox-route.ts';
import { presetEntries } from '../../tools/catalog-entry.ts';
import type { JsonSchema, PresetServer, Tool } from '../../tools/model.ts';
import { checkSample, NOTHING, type SampleCheck } from './presets-sample-check.ts';

/** What `presets check` reports about one tool. */
export interface ToolInspection extends SampleCheck {
  readonly presetId: string;
  readonly file: string;
  readonly tool: string;
  /** Size of its entry in the response to `tools/list`, in bytes. */
  readonly listedBytes: number;
}

/** A model reads every listed tool before it chooses. A long entry leaves less room for the others. */
const MAX_LISTED_BYTES = 5000;
const MIN_DESCRIPTION_LENGTH = 100;

/** Inspects every tool of a preset: its entry in `tools/list`, and its sample. */
export function inspectPreset(preset: PresetServer): ToolInspection[] {
  const encode = createToolListEncoder();
  const samples = new Map(routesOf(preset).map(({ tool, sample }) => [tool, sample]));
  return presetEntries(preset, '').map((entry) => {
    const { tool } = entry;
    argumentReaderOf(tool);
    prepareTool(tool);
    const sample = samples.get(tool);
    const checked = sample ? checkSample(tool, sample) : NOTHING;
    const listedBytes = Buffer.concat(encode([entry])).length;
    return {
      presetId: preset.id,
      file: preset.filePath,
      tool: tool.name,
      listedBytes,
      ...checked,
      faults: [...checked.faults, ...tool.source.missing.map(sourceFault)],
      warnings: [
        ...(sample
          ? checked.warnings
          : ['There is no sample, so the sandbox cannot serve this tool.']),
        ...sizeWarnings(listedBytes),
        ...wordWarnings(tool),
      ],
    };
  });
}

const sourceFault = (extension: string): string =>
  `There is no ${extension}: callers must know where the data come from (docs/presets.md).`;

const sizeWarnings = (bytes: number): string[] =>
  bytes > MAX_LISTED_BYTES
    ? [`Its entry in tools/list has ${bytes} bytes. Shorten it to ${MAX_LISTED_BYTES}.`]
    : [];

function wordWarnings({ description, inputSchema }: Tool): string[] {
  const properties = (inputSchema['properties'] ?? {}) as Record<string, JsonSchema>;
  const undescribed = Object.keys(properties).filter((name) => !properties[name]?.['description']);
  return [
    ...(description.length < MIN_DESCRIPTION_LENGTH
      ? [
          `The description has ${description.length} characters. Say what the tool returns and when to use it.`,
        ]
      : []),
    ...undescribed.map((name) => `The parameter ${name} has no description.`),
  ];
}
