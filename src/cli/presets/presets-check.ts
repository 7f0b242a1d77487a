import { relative, resolve } from 'node:path';
import { argumentReaderOf, prepareTool } from '../../calls/prepare-call.ts';
import {
  createGatewayTools,
  GATEWAY_TOOL_NAMES,
} from '../../dialects/gateway-tools/gateway-tools.ts';
import { createToolListEncoder } from '../../dialects/plain/encode.ts';
import { readSettings } from '../../platform/config/settings.ts';
import { StartupError } from '../../platform/kernel/error.ts';
import { parsePointer, valueAt } from '../../platform/kernel/json-pointer.ts';
import {
  normaliseSample,
  type PresetSample,
  readSample,
} from '../../public-data/preset-samples.ts';
import { PUBLIC_DATA_TOOLS } from '../../public-data/tool-domain.ts';
import { type LoadPresetsOptions, loadPresets } from '../../tools/catalog/load-presets.ts';
import {
  loadToolsets,
  type Toolset,
  type Toolsets,
  toolsetsDir,
} from '../../tools/catalog/toolsets.ts';
import { presetEntries } from '../../tools/catalog-entry.ts';
import { RESERVED_ARGUMENTS } from '../../tools/compile/compile-context.ts';
import type { JsonSchema, PresetServer, Tool } from '../../tools/model.ts';
import { count, formatTable } from '../shared/output.ts';
import { STARTER_TEXTS } from './preset-starter.ts';

interface CheckOptions {
  readonly json?: true;
  readonly store?: true;
}

interface Report {
  readonly files: number;
  readonly tools: readonly ToolInspection[];
  readonly toolsets: number;
  /** Files that are not valid presets or toolsets, each as `<file>:<line>: <reason>`. */
  readonly rejected: readonly string[];
  /** What to know about valid presets as a whole, each as `<file>:<line>: <message>`. */
  readonly warnings: readonly string[];
  /** What keeps toolsets out of directories, each as `<file>: <reason>`; only with `--store`. */
  readonly storeFaults: readonly string[];
}

/** Prints the result for every tool. Throws StartupError with all faults, if any. */
export async function checkPresets(dir: string | undefined, options: CheckOptions): Promise<void> {
  const { PRESETS_DIR, PRESETS_EXTRA_DIRS } = readSettings(process.env);
  const dirs = dir
    ? { dir: resolve(dir), extraDirs: [] }
    : { dir: PRESETS_DIR, extraDirs: PRESETS_EXTRA_DIRS };
  const report = await inspect(dirs, options.store === true);
  const faults = listFaults(report);
  const text = options.json
    ? `${JSON.stringify({ ok: faults.length === 0, ...report }, null, 2)}\n`
    : format(report, faults.length);
  process.stdout.write(text);
  if (faults.length > 0) throw new StartupError(faults.join('\n'));
}

async function inspect(
  dirs: Pick<LoadPresetsOptions, 'dir' | 'extraDirs'>,
  forStore: boolean,
): Promise<Report> {
  const rejected: string[] = [];
  const lenient = {
    lenient: true,
    logger: { error: ({ fault }: { fault: string }) => rejected.push(...fault.split('\n')) },
  };
  const { presets, warnings } = await loadPresets({
    ...dirs,
    domain: PUBLIC_DATA_TOOLS,
    ...lenient,
  });
  const toolsets = await loadToolsets({
    dir: toolsetsDir(dirs.dir),
    toolNames: presets.flatMap(({ tools }) => tools.map(({ name }) => name)),
    ownToolNames: GATEWAY_TOOL_NAMES,
    ...lenient,
  });
  return {
    files: presets.length,
    tools: presets.flatMap(inspectPreset),
    toolsets: toolsets.size,
    rejected,
    warnings,
    storeFaults: forStore ? storeFaults(toolsets, presets) : [],
  };
}

const listFaults = ({ tools, rejected, storeFaults: ofStore }: Report): string[] => [
  ...rejected,
  ...ofStore,
  ...remarks(tools, ({ faults }) => faults),
];

const remarks = (
  tools: readonly ToolInspection[],
  select: (tool: ToolInspection) => readonly string[],
): string[] =>
  tools.flatMap((tool) =>
    select(tool).map((text) => `${relative('', tool.file)}: ${tool.tool}: ${text}`),
  );

function format({ files, tools, toolsets, warnings: general }: Report, faultCount: number): string {
  const rows = tools.map(({ presetId, tool, listedBytes, rows, total, faults, warnings }) => [
    presetId,
    tool,
    String(listedBytes),
    String(rows ?? '-'),
    String(total ?? '-'),
    faults.length > 0 ? 'FAULTY' : warnings.length > 0 ? 'warning' : 'ok',
  ]);
  const warnings = [...general, ...remarks(tools, (tool) => tool.warnings)];
  const listed = tools.reduce((sum, { listedBytes }) => sum + listedBytes, 0);
  return [
    formatTable(['FILE', 'TOOL', 'BYTES', 'ROWS', 'TOTAL', 'CHECK'], rows),
    ...warnings.map((warning) => `Warning: ${warning}\n`),
    `${count(files, 'preset server')} with ${count(tools.length, 'tool')}, ${listed} bytes in tools/list${toolsets > 0 ? `, ${count(toolsets, 'toolset')}` : ''}: `,
    `${verdict(faultCount, warnings.length)}.\n`,
  ].join('');
}

function verdict(faults: number, warnings: number): string {
  if (faults > 0) return count(faults, 'fault');
  return warnings > 0 ? `no faults, ${count(warnings, 'warning')}` : 'all good';
}

/** What directories of connectors accept of a toolset. */
const STORE_LIMITS = { titleCharacters: 60, descriptionCharacters: 300, tools: 10 } as const;

/** What keeps the toolsets out of directories of connectors, each as `<file>: <reason>`. */
export function storeFaults(toolsets: Toolsets, presets: readonly PresetServer[]): string[] {
  const own = Object.values(createGatewayTools({ kinds: [] }, '')).map(({ tool }) => tool);
  const tools = new Map(
    [...own, ...presets.flatMap((preset) => preset.tools)].map((tool) => [tool.name, tool]),
  );
  return [...toolsets.values()].flatMap((toolset) =>
    [...textFaults(toolset), ...toolsetFaults(toolset, tools)].map(
      (reason) => `${relative('', toolset.filePath)}: ${reason}`,
    ),
  );
}

function textFaults({ title, description }: Toolset): string[] {
  return [
    ...lengthFault('title', title, STORE_LIMITS.titleCharacters),
    ...lengthFault('description', description, STORE_LIMITS.descriptionCharacters),
  ];
}

const lengthFault = (what: string, text: string, most: number): string[] =>
  text.length > most
    ? [`The ${what} has ${text.length} characters. Directories accept ${most}.`]
    : [];

function toolsetFaults(toolset: Toolset, known: ReadonlyMap<string, Tool>): string[] {
  const names = [...toolset.tools, ...toolset.ownTools];
  const tools = names.flatMap((name) => known.get(name) ?? []);
  return [
    ...(names.length > STORE_LIMITS.tools
      ? [`It has ${names.length} tools. Directories accept ${STORE_LIMITS.tools}.`]
      : []),
    ...tools.flatMap(({ name, title, annotations }) => [
      ...(title === null ? [`${name} has no title.`] : []),
      ...(annotations.readOnlyHint ? [] : [`${name} is not read-only.`]),
    ]),
  ];
}

/** What `presets check` reports about one tool. */
interface ToolInspection extends SampleCheck {
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
  return presetEntries(preset, '').map((entry) => {
    const { tool } = entry;
    argumentReaderOf(tool);
    prepareTool(tool);
    const sample = readSample(preset, tool.name);
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
        ...starterWarnings(tool),
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

/** The starter of `presets new` compiles as it is, but its texts say nothing to a model. */
function starterWarnings(tool: Tool): string[] {
  const texts = [
    ['x-publisher', tool.source.publisher, STARTER_TEXTS.publisher],
    ['The description', tool.description, STARTER_TEXTS.tool],
  ] as const;
  return texts
    .filter(([, text, starter]) => text?.startsWith(starter))
    .map(([what]) => `${what} is still the text of presets new. Write your own.`);
}

function wordWarnings({ description, inputSchema }: Tool): string[] {
  const properties = (inputSchema['properties'] ?? {}) as Record<string, JsonSchema>;
  const undescribed = Object.keys(properties).filter(
    (name) => !properties[name]?.['description'] && !RESERVED_ARGUMENTS.has(name),
  );
  return [
    ...(description.length < MIN_DESCRIPTION_LENGTH
      ? [
          `The description has ${description.length} characters. Say what the tool returns and when to use it.`,
        ]
      : []),
    ...undescribed.map((name) => `The parameter ${name} has no description.`),
  ];
}

/** How the sample response of a tool fits its definition. Null stands for what the definition does not name. */
interface SampleCheck {
  readonly rows: number | null;
  /** The number of all rows, as the upstream counts them. */
  readonly total: number | null;
  readonly faults: readonly string[];
  /** What works but should be improved. */
  readonly warnings: readonly string[];
}

/** Normalises the sample as the gateway normalises a response, and checks every pointer of the definition. */
function checkSample(tool: Tool, sample: PresetSample): SampleCheck {
  const payload = normaliseSample(tool, sample);
  if (!payload) return { ...NOTHING, faults: ['The sample is neither JSON nor XML.'] };
  const value: unknown = JSON.parse(payload.json.toString());
  const rows = rowsOf(tool, value);
  const total = totalOf(tool, value);
  return {
    rows: rows?.length ?? null,
    total: total ?? null,
    faults: [
      ...(payload.ok ? [] : ['According to x-success, the sample is a refusal.']),
      ...codeFaults(tool, value),
      ...rowFaults(tool, rows),
      ...totalFaults(tool, total),
    ],
    warnings: columnWarnings(tool, rows ?? []),
  };
}

const NOTHING: SampleCheck = { rows: null, total: null, faults: [], warnings: [] };

/** Some upstreams send a code only with refusals; their definitions name no success codes. */
function codeFaults({ payload, isPublicData }: Tool, value: unknown): string[] {
  const { code = [], values = [] } = payload.success ?? {};
  if (code.length === 0 || !(isPublicData || values.length > 0)) return [];
  const isFound = code.some((pointer) => isCode(valueAt(value, parsePointer(pointer))));
  return isFound ? [] : [`The sample has no result code at ${code.join(' or ')} (x-success).`];
}

const isCode = (found: unknown): boolean =>
  typeof found === 'number' || (typeof found === 'string' && found.trim() !== '');

function rowsOf({ payload: { items } }: Tool, value: unknown): readonly unknown[] | undefined {
  const rows = items === null ? undefined : valueAt(value, parsePointer(items));
  return Array.isArray(rows) ? rows : undefined;
}

function rowFaults({ payload: { items } }: Tool, rows: readonly unknown[] | undefined): string[] {
  if (items === null || (rows && rows.length > 0)) return [];
  return [`The sample has ${rows ? '0' : 'no'} rows at ${items || 'the root'} (x-items).`];
}

/** XML has no numbers, and many JSON upstreams write them as strings. */
function totalOf({ payload: { total } }: Tool, value: unknown): number | undefined {
  const found = total === null ? undefined : valueAt(value, parsePointer(total));
  return /^\s*\d+\s*$/.test(String(found)) ? Number(found) : undefined;
}

const totalFaults = ({ payload }: Tool, total: number | undefined): string[] =>
  payload.total === null || total !== undefined
    ? []
    : [`The sample has no number at ${payload.total} (x-total).`];

/** The argument `_fields` accepts only the columns that the response schema describes. */
function columnWarnings({ payload }: Tool, rows: readonly unknown[]): string[] {
  const { items, columns, itemWrapper } = payload;
  if (items === null) return [];
  if (columns === null) return ['The response schema describes no row at x-items.'];
  const fields = rows.flatMap((row) => Object.keys(Object(unwrapped(row, itemWrapper))));
  const unknown = [...new Set(fields)].filter((field) => !columns.includes(field));
  return unknown.length > 0
    ? [`The row schema lacks columns of the sample: ${unknown.join(', ')}.`]
    : [];
}

const unwrapped = (row: unknown, wrapper: string | null): unknown =>
  wrapper === null ? row : (valueAt(row, [wrapper]) ?? row);
