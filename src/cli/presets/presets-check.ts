import { relative, resolve } from 'node:path';
import { readSettings } from '../../platform/config/settings.ts';
import { StartupError } from '../../platform/kernel/startup-error.ts';
import { PUBLIC_DATA_TOOLS } from '../../public-data/tool-domain.ts';
import { loadPresets } from '../../tools/catalog/load-presets.ts';
import { count } from '../shared/count.ts';
import { formatTable } from '../shared/table.ts';
import { inspectPreset, type ToolInspection } from './presets-inspection.ts';

interface CheckOptions {
  readonly json?: true;
}

interface Report {
  readonly files: number;
  readonly tools: readonly ToolInspection[];
  /** Files that are not valid presets, each as `<file>:<line>: <reason>`. */
  readonly rejected: readonly string[];
}

/** Prints the result for every tool. Throws StartupError with all faults, if any. */
export async function checkPresets(dir: string | undefined, options: CheckOptions): Promise<void> {
  const report = await inspect(dir ? resolve(dir) : readSettings(process.env).PRESETS_DIR);
  const faults = listFaults(report);
  const text = options.json
    ? `${JSON.stringify({ ok: faults.length === 0, ...report }, null, 2)}\n`
    : format(report, faults.length);
  process.stdout.write(text);
  if (faults.length > 0) throw new StartupError(faults.join('\n'));
}

async function inspect(dir: string): Promise<Report> {
  const rejected: string[] = [];
  const { presets } = await loadPresets({
    dir,
    domain: PUBLIC_DATA_TOOLS,
    lenient: true,
    logger: { error: ({ fault }: { fault: string }) => rejected.push(...fault.split('\n')) },
  });
  return { files: presets.length, tools: presets.flatMap(inspectPreset), rejected };
}

const listFaults = ({ tools, rejected }: Report): string[] => [
  ...rejected,
  ...remarks(tools, ({ faults }) => faults),
];

const remarks = (
  tools: readonly ToolInspection[],
  select: (tool: ToolInspection) => readonly string[],
): string[] =>
  tools.flatMap((tool) =>
    select(tool).map((text) => `${relative('', tool.file)}: ${tool.tool}: ${text}`),
  );

function format({ files, tools }: Report, faultCount: number): string {
  const rows = tools.map(({ presetId, tool, listedBytes, rows, total, faults, warnings }) => [
    presetId,
    tool,
    String(listedBytes),
    String(rows ?? '-'),
    String(total ?? '-'),
    faults.length > 0 ? 'FAULTY' : warnings.length > 0 ? 'warning' : 'ok',
  ]);
  const warnings = remarks(tools, (tool) => tool.warnings);
  const listed = tools.reduce((sum, { listedBytes }) => sum + listedBytes, 0);
  return [
    formatTable(['FILE', 'TOOL', 'BYTES', 'ROWS', 'TOTAL', 'CHECK'], rows),
    ...warnings.map((warning) => `Warning: ${warning}\n`),
    `${count(files, 'preset server')} with ${count(tools.length, 'tool')}, ${listed} bytes in tools/list: `,
    `${verdict(faultCount, warnings.length)}.\n`,
  ].join('');
}

function verdict(faults: number, warnings: number): string {
  if (faults > 0) return count(faults, 'fault');
  return warnings > 0 ? `no faults, ${count(warnings, 'warning')}` : 'all good';
}
