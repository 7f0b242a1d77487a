import { relative, resolve } from 'node:path';
import { OWN_TOOL_NAMES } from '../../dialects/door/own-tools.ts';
import { readSettings } from '../../platform/config/settings.ts';
import { StartupError } from '../../platform/kernel/startup-error.ts';
import { PUBLIC_DATA_TOOLS } from '../../public-data/tool-domain.ts';
import { type LoadPresetsOptions, loadPresets } from '../../tools/catalog/load-presets.ts';
import { loadToolsets, toolsetsDir } from '../../tools/catalog/toolsets.ts';
import { count } from '../shared/count.ts';
import { formatTable } from '../shared/table.ts';
import { inspectPreset, type ToolInspection } from './presets-inspection.ts';
import { storeFaults } from './toolsets-check.ts';

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
    ownToolNames: OWN_TOOL_NAMES,
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
