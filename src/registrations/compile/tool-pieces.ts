import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ToolDomain } from '../../tools/domain.ts';
import type { ArgumentAlternative, ParameterBinding, Tool } from '../../tools/model.ts';

/** JSON that the event loop parses in one turn: a few milliseconds. */
const PIECE_BYTES = 256 * 1024;

/** Writes tools as JSON arrays in UTF-8 of bounded size each, except that a tool is never divided. */
export function writeToolPieces(tools: readonly Tool[]): Uint8Array<ArrayBuffer>[] {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let texts: string[] = [];
  let length = 0;
  const flush = (): void => {
    if (texts.length > 0) pieces.push(new TextEncoder().encode(`[${texts.join(',')}]`));
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
export async function readToolPieces(
  pieces: readonly Uint8Array[],
  domain: ToolDomain,
): Promise<Tool[]> {
  const tools: Tool[] = [];
  for (const piece of pieces) {
    await nextTurn();
    for (const tool of JSON.parse(new TextDecoder().decode(piece)) as Tool[]) {
      tools.push(restore(tool, domain));
    }
  }
  return tools;
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
