import type { Catalog } from '../../tools/catalog/catalog.ts';
import { inLanguage, type Language } from '../../tools/catalog/in-language.ts';
import type { CatalogEntry } from '../../tools/catalog-entry.ts';
import { byId } from '../../tools/catalog-layer.ts';
import { exampleArguments } from '../../tools/request/example-arguments.ts';

/** The tools of one preset server that need a key. */
export interface KeyServer {
  readonly id: string;
  readonly name: string;
  /** Which key it is and where to get it, as the preset says. */
  readonly howToGet: string | null;
  /** The address in it. */
  readonly url: string | null;
  readonly tools: readonly { readonly name: string; readonly title: string | null }[];
}

type Presets = Pick<Catalog, 'presetEntries'>;

/** The presets with their texts in a language. */
export const presetsInLanguage = ({ presetEntries }: Presets, language?: Language): Presets => ({
  presetEntries: presetEntries.map((entry) => inLanguage(entry, language)),
});

/** The tools of presets that need a key. */
export const entriesOf = ({ presetEntries }: Presets, keyName: string): readonly CatalogEntry[] =>
  presetEntries.filter(({ tool }) => tool.secrets.includes(keyName));

/** The names of all keys that presets need, sorted. */
export const keyNamesOf = ({ presetEntries }: Presets): string[] =>
  [...new Set(presetEntries.flatMap(({ tool }) => tool.secrets))].sort();

/** The preset servers whose tools need a key, sorted by id. */
export function serversOf(presets: Presets, keyName: string): KeyServer[] {
  const byServer = Map.groupBy(entriesOf(presets, keyName), ({ server }) => server.id);
  return [...byServer].map(([id, entries]) => {
    const howToGet = howToGetOf(entries, keyName);
    return {
      id,
      name: entries[0]?.server.name ?? id,
      howToGet,
      url: howToGet && addressIn(howToGet),
      tools: entries.map(({ tool }) => ({ name: tool.name, title: tool.title })),
    };
  });
}

const howToGetOf = (entries: readonly CatalogEntry[], keyName: string): string | null =>
  entries
    .flatMap(({ tool }) => tool.parameters)
    .map(({ source }) =>
      source.kind === 'secret' && source.secret === keyName ? source.description : null,
    )
    .find((description) => description !== null) ?? null;

/** The first web address of a text; a period at its end belongs to the sentence. */
const addressIn = (text: string): string | null =>
  /https?:\/\/[^\s<>")]+/.exec(text)?.[0].replace(/[.,;:]+$/, '') ?? null;

/** A call with the examples of a preset. */
export interface ExampleCall {
  readonly entry: CatalogEntry;
  readonly arguments: Record<string, unknown>;
}

/** A call of each tool that only reads, handles no personal data, and has an example of everything that it requires. */
export const exampleCallsOf = (entries: readonly CatalogEntry[]): ExampleCall[] =>
  entries
    .filter(({ tool }) => tool.annotations.readOnlyHint && tool.personal.length === 0)
    .map((entry) => ({ entry, arguments: exampleArguments(entry.tool) }))
    .filter((call) => Object.values(call.arguments).every((value) => value !== undefined));

/**
 * The calls with which a key can be tested, cheapest first. The fewer arguments, the fewer reasons to fail that are not the
 * key's.
 */
export const testCallsOf = (presets: Presets, keyName: string): ExampleCall[] =>
  exampleCallsOf(entriesOf(presets, keyName)).sort(
    (a, b) => costOf(a) - costOf(b) || byId(a.entry, b.entry),
  );

const costOf = (call: ExampleCall): number =>
  Object.keys(call.arguments).length + call.entry.tool.stepBack;
