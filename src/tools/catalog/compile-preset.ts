import { LRUCache } from 'lru-cache';
import { compileDocument } from '../compile/compile-document.ts';
import { PRESET } from '../compile/compile-policy.ts';
import { parseDocument } from '../document/parse-document.ts';
import type { ToolDomain } from '../domain.ts';
import type { CompiledApi } from '../model.ts';

/** The text of a file. */
export interface Definition {
  /** Only appears in messages. */
  readonly filePath: string;
  readonly text: string;
  /** SHA-256 of the text. */
  readonly digest: string;
}

/** What a definition yields, wherever its file is. */
export interface CompiledDefinition {
  readonly api: CompiledApi;
  readonly warnings: readonly { readonly line: number; readonly message: string }[];
  /** The line on which each tool is declared. */
  readonly lines: ReadonlyMap<string, number>;
}

/** Definitions that are remembered: several times those that are shipped. */
const MAX_DEFINITIONS = 256;

/** By what the compiler knows of a domain: the gateway, its sandbox and each reload read the same files. */
const remembered = new WeakMap<ToolDomain, LRUCache<string, CompiledDefinition>>();

/** Compiles a preset, once for each text. Rejects with DefinitionError. */
export async function compilePreset(
  { filePath, text, digest }: Definition,
  domain: ToolDomain,
): Promise<CompiledDefinition> {
  const known = rememberedFor(domain);
  const earlier = known.get(digest);
  if (earlier) return earlier;
  const parsed = await parseDocument(text, filePath);
  const { api, operations, warnings } = compileDocument(parsed, { domain, policy: PRESET });
  const definition = {
    api,
    warnings: warnings.map(({ pointer, message }) => ({ line: parsed.lineOf(pointer), message })),
    lines: new Map(operations.map(({ tool, pointer }) => [tool ?? '', parsed.lineOf(pointer)])),
  };
  known.set(digest, definition);
  return definition;
}

function rememberedFor(domain: ToolDomain): LRUCache<string, CompiledDefinition> {
  const known = remembered.get(domain) ?? new LRUCache({ max: MAX_DEFINITIONS });
  remembered.set(domain, known);
  return known;
}
