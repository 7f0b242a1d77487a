import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { constants, gunzip, gzipSync } from 'node:zlib';
import type { ToolDomain } from './domain.ts';
import type { ParameterBinding, Tool } from './model.ts';

/** The form of stored tools. A release that writes or reads them otherwise has another number. */
export const PACKED_FORMAT = 4;

/** JSON that the event loop parses in one turn: a few milliseconds. */
const PIECE_BYTES = 256 * 1024;

/** More than the JSON of all tools of an API can have in UTF-8. */
const MAX_JSON_BYTES = 64 * 1024 * 1024;

/** What compiled tools take in memory, compared with their JSON. */
const MEMORY_PER_JSON_BYTE = 3;

const inflate = promisify(gunzip);

/** Compresses tools: a line of JSON with the base address, and one for each tool. */
export function packTools(tools: readonly Tool[], baseUrl: string): Uint8Array<ArrayBuffer> {
  const lines = [{ baseUrl }, ...tools].map((line) => JSON.stringify(line));
  return new Uint8Array(gzipSync(lines.join('\n'), { level: constants.Z_BEST_SPEED }));
}

export interface LoadedTools {
  readonly tools: readonly Tool[];
  /** The base address of the API; empty if every tool has a server of its own. */
  readonly baseUrl: string;
  /** What they take in memory, roughly. */
  readonly bytes: number;
}

/** Reads tools, a piece in each turn of the event loop, and gives them the functions of the domain that JSON leaves out. */
export async function unpackTools(content: Uint8Array, domain: ToolDomain): Promise<LoadedTools> {
  const packed = await inflate(content, { maxOutputLength: MAX_JSON_BYTES });
  const [head = '{}', ...lines] = linesOf(packed);
  const { baseUrl }: { baseUrl: string } = JSON.parse(head.toString());
  const tools: Tool[] = [];
  let parsed = PIECE_BYTES;
  for (const line of lines) {
    parsed += line.length;
    if (parsed > PIECE_BYTES) {
      await nextTurn();
      parsed = line.length;
    }
    tools.push(restoreTool(JSON.parse(line.toString()), domain));
  }
  return { tools, baseUrl, bytes: packed.length * MEMORY_PER_JSON_BYTE };
}

/** Without copying them. */
function* linesOf(packed: Buffer): Generator<Buffer> {
  for (let start = 0; start < packed.length; ) {
    const feed = packed.indexOf('\n', start);
    const end = feed === -1 ? packed.length : feed;
    yield packed.subarray(start, end);
    start = end + 1;
  }
}

/** Gives a tool that was JSON the functions of the domain. Throws if it has others. */
export const restoreTool = (tool: Tool, domain: ToolDomain): Tool => ({
  ...tool,
  parameters: tool.parameters.map((binding) => restoreDefault(binding, domain)),
  alternative: tool.alternative && { ...tool.alternative, apply: domain.alternative.apply },
});

function restoreDefault(binding: ParameterBinding, domain: ToolDomain): ParameterBinding {
  const { source } = binding;
  if (source.kind !== 'argument' || !source.computedDefault) return binding;
  const { computedDefault } = source;
  const compute = domain.computedDefaults.get(computedDefault.expression);
  if (!compute) throw new Error(`Unknown computed default ${computedDefault.expression}.`);
  return { ...binding, source: { ...source, computedDefault: { ...computedDefault, compute } } };
}
