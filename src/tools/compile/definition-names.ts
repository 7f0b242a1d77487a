import { type Located, parsePointer } from '../../platform/kernel/json-pointer.ts';
import { isObject, own } from '../../platform/kernel/plain-json.ts';
import type { JsonSchema } from '../model.ts';

/** The names under which the shared schemas of one document appear in `$defs`. */
export interface DefinitionNames {
  /** The name of the schema at this pointer: the last word of the pointer, numbered if it is taken. */
  nameOf(pointer: string): string;
  /** The schema's `$anchor`, unless another definition has the same one: two alike would break the schema. */
  anchorOf(schema: Located): JsonSchema;
}

export function createDefinitionNames(): DefinitionNames {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  const anchorOwners = new Map<string, string>();
  return {
    nameOf(pointer) {
      const known = names.get(pointer);
      if (known) return known;
      const word = lastWord(pointer);
      let name = word;
      for (let number = 2; taken.has(name); number++) name = `${word}_${number}`;
      taken.add(name);
      names.set(pointer, name);
      return name;
    },
    anchorOf({ value, pointer }) {
      const anchor = isObject(value) ? own(value, '$anchor') : undefined;
      if (typeof anchor !== 'string' || !/^[A-Za-z_][-A-Za-z0-9._]*$/.test(anchor)) return {};
      const owner = anchorOwners.get(anchor) ?? pointer;
      anchorOwners.set(anchor, owner);
      return owner === pointer ? { $anchor: anchor } : {};
    },
  };
}

const lastWord = (pointer: string): string =>
  parsePointer(pointer)
    .at(-1)
    ?.replaceAll(/[^A-Za-z0-9]+/g, '_') || 'schema';
