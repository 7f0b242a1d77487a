import { readFile } from 'node:fs/promises';
import { pointerTo } from '../../platform/kernel/json-pointer.ts';
import {
  isObject,
  type JsonObject,
  own,
  ownObject,
  ownText,
} from '../../platform/kernel/plain-json.ts';
import { rowProperties } from '../compile/row-columns.ts';
import { parseDocument } from '../document/parse-document.ts';
import { createReferenceResolver, type ReferenceResolver } from '../document/resolve-reference.ts';
import type { PresetServer, Tool } from '../model.ts';

export interface Column {
  readonly name: string;
  readonly description: string | null;
  /** JSON type; null if the document does not say. */
  readonly type: string | null;
}

/** What the document of a preset says about its data, beyond what its tools need. */
export interface PresetDetails {
  readonly description: string | null;
  /** Where the provider describes the data. */
  readonly documentation: string | null;
  readonly license: string | null;
  readonly termsOfService: string | null;
  /** The columns of the rows of one of its tools; empty if the document does not describe them. */
  readonly columnsOf: (tool: Tool) => readonly Column[];
}

export type ReadPresetDetails = (preset: PresetServer) => Promise<PresetDetails>;

/** Reads the document of a preset when it is first asked for, and keeps what it says: few presets are looked up. */
export function createPresetDetails(): ReadPresetDetails {
  const known = new WeakMap<PresetServer, Promise<PresetDetails>>();
  return (preset) => {
    const reading = known.get(preset) ?? readDetails(preset);
    known.set(preset, reading);
    reading.catch(() => known.delete(preset));
    return reading;
  };
}

async function readDetails({ filePath }: PresetServer): Promise<PresetDetails> {
  const { root } = await parseDocument(await readFile(filePath, 'utf8'), filePath);
  const references = createReferenceResolver(root, () => undefined);
  const info = ownObject(root, 'info');
  return {
    description: ownText(info, 'description') ?? null,
    documentation: webAddress(ownObject(root, 'externalDocs'), 'url'),
    license: ownText(ownObject(info, 'license'), 'name') ?? null,
    termsOfService: webAddress(info, 'termsOfService'),
    columnsOf: (tool) => columnsOf(root, tool, references),
  };
}

/** Nothing but a web address may become a link. */
function webAddress(parent: JsonObject, name: string): string | null {
  const text = ownText(parent, name) ?? '';
  return /^https?:/.test(URL.parse(text)?.protocol ?? '') ? text : null;
}

function columnsOf(root: JsonObject, tool: Tool, references: ReferenceResolver): Column[] {
  const method = tool.method.toLowerCase();
  const value = ownObject(ownObject(ownObject(root, 'paths'), tool.path), method);
  const pointer = pointerTo(pointerTo('/paths', tool.path), method);
  const properties = rowProperties({ value, pointer }, tool.payload, references) ?? {};
  return Object.entries(properties).map(([name, schema]) => {
    const place = references.follow({ value: schema, pointer: '' });
    const column = isObject(place?.value) ? place.value : {};
    return {
      name,
      description: ownText(column, 'description') ?? null,
      type: [own(column, 'type') ?? []].flat().join(' | ') || null,
    };
  });
}
