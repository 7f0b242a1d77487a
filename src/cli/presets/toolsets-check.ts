import { relative } from 'node:path';
import { createOwnTools } from '../../dialects/door/own-tools.ts';
import type { Toolset, Toolsets } from '../../tools/catalog/toolsets.ts';
import type { PresetServer, Tool } from '../../tools/model.ts';

/** What directories of connectors accept of a toolset. */
const STORE_LIMITS = { titleCharacters: 60, descriptionCharacters: 300, tools: 10 } as const;

/** What keeps the toolsets out of directories of connectors, each as `<file>: <reason>`. */
export function storeFaults(toolsets: Toolsets, presets: readonly PresetServer[]): string[] {
  const own = Object.values(createOwnTools({ kinds: [] })).map(({ tool }) => tool);
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
