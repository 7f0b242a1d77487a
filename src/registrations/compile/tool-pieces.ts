import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { constants, gunzip, gzipSync } from 'node:zlib';
import type { ToolDomain } from '../../tools/domain.ts';
import type { ArgumentAlternative, ParameterBinding, Tool } from '../../tools/model.ts';
import type { LoadedTools } from '../steps/description-compiler.ts';

/** The form of stored tools. A release that writes or reads them otherwise has another number. */
export const PACKED_FORMAT = 1;

/** JSON that the event loop parses in one turn: a few milliseconds. */
const PIECE_BYTES = 256 * 1024;

/** More than the JSON of all tools of an API can have in UTF-8. */
const MAX_JSON_BYTES = 64 * 1024 * 1024;

/** What compiled tools take in memory, compared with their JSON. */
const MEMORY_PER_JSON_BYTE = 3;

const LINE_FEED = 0x0a;

const inflate = promisify(gunzip);

/** Compresses tools: a line of JSON with the base address, and one for each piece that the event loop parses at once. */
export function packTools(tools: readonly Tool[], baseUrl: string): Uint8Array<ArrayBuffer> {
  const lines = [JSON.stringify({ baseUrl }), ...toolPieces(tools)];
  return new Uint8Array(gzipSync(lines.join('\n'), { level: constants.Z_BEST_SPEED }));
}

/** JSON arrays of bounded size each, except that a tool is never divided. */
function toolPieces(tools: readonly Tool[]): string[] {
  const pieces: string[] = [];
  let texts: string[] = [];
  let length = 0;
  const flush = (): void => {
    if (texts.length > 0) pieces.push(`[${texts.join(',')}]`);
    texts = [];
    length = 0;
  };
  for (const tool of tools) {
    const text = JSON.stringify(tool);
    if (length + text.length > PIECE_BYTES) flush();
    texts.push(text);
    length += text.length;
  }
  flush();
  return pieces;
}

/** Reads tools, one piece per turn of the event loop, and gives them the functions of the domain that JSON leaves out. */
export async function unpackTools(content: Uint8Array, domain: ToolDomain): Promise<LoadedTools> {
  const packed = await inflate(content, { maxOutputLength: MAX_JSON_BYTES });
  const [head = '', ...pieces] = linesOf(packed);
  const { baseUrl }: { baseUrl: string } = JSON.parse(head.toString());
  const tools: Tool[] = [];
  for (const piece of pieces) {
    await nextTurn();
    for (const tool of JSON.parse(piece.toString()) as Tool[]) tools.push(restore(tool, domain));
  }
  return { tools, baseUrl, bytes: packed.length * MEMORY_PER_JSON_BYTE };
}

/** Without copying them. */
function linesOf(packed: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start <= packed.length; ) {
    const feed = packed.indexOf(LINE_FEED, start);
    const end = feed === -1 ? packed.length : feed;
    lines.push(packed.subarray(start, end));
    start = end + 1;
  }
  return lines;
}

const restore = (tool: Tool, domain: ToolDomain): Tool => ({
  ...tool,
  parameters: tool.parameters.map((binding) => restoreDefault(binding, domain)),
  alternative: restoreAlternative(tool.alternative, domain),
});

function restoreDefault(binding: ParameterBinding, domain: ToolDomain): ParameterBinding {
  const { source } = binding;
  if (source.kind !== 'argument' || !source.computedDefault) return binding;
  const { computedDefault } = source;
  const compute = domain.computedDefaults.get(computedDefault.expression);
  if (!compute) throw new Error(`Unknown computed default ${computedDefault.expression}.`);
  return { ...binding, source: { ...source, computedDefault: { ...computedDefault, compute } } };
}

const restoreAlternative = (
  alternative: ArgumentAlternative | null,
  domain: ToolDomain,
): ArgumentAlternative | null =>
  alternative === null ? null : { ...alternative, apply: domain.alternative.apply };
