import type { Catalog } from '../tools/catalog/catalog.ts';
import { exampleArguments } from '../tools/request/example-arguments.ts';

/** A call for a caller who has only an API key of the gateway. */
export interface FirstCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** Today's exchange rates are easy to recognise, and change every day. */
const PREFERRED: FirstCall = {
  tool: 'frankfurter_rates',
  arguments: { base: 'USD', quotes: 'KRW,EUR' },
};

/** The call with the fewest arguments among the tools that only read and need no key; null if every tool needs more. */
export function firstCallOf({ presetEntries }: Pick<Catalog, 'presetEntries'>): FirstCall | null {
  const calls = presetEntries
    .filter(({ tool }) => tool.secrets.length === 0 && tool.personal.length === 0)
    .filter(({ tool }) => tool.annotations.readOnlyHint)
    .map(({ tool }) => ({ tool: tool.name, arguments: exampleArguments(tool) }))
    .filter((call) => Object.values(call.arguments).every((value) => value !== undefined));
  if (calls.some(({ tool }) => tool === PREFERRED.tool)) return PREFERRED;
  const size = (call: FirstCall): number => Object.keys(call.arguments).length;
  return calls.sort((a, b) => size(a) - size(b) || (a.tool < b.tool ? -1 : 1))[0] ?? null;
}
