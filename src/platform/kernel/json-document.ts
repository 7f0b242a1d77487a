import { isIndex, type Path } from './json-pointer.ts';
import {
  COUNT,
  END,
  type JsonLimits,
  KEY_END,
  KEY_START,
  NEXT,
  NONE,
  START,
  STRIDE,
  scanJson,
  scans,
} from './json-scanner.ts';

/** One value of a document: the index of its entry in the scanner's table. */
export type Place = number;

/** The whole document. */
export const ROOT: Place = 0;

type Kind = 'object' | 'array' | 'string' | 'other';

const KINDS: Readonly<Record<number, Kind>> = { 123: 'object', 91: 'array', 34: 'string' };

/**
 * A JSON text whose values are located but not parsed: a value that is not used keeps its bytes and costs nothing. Only
 * the latest document can be read, because all share the scanner's memory.
 */
export class JsonDocument {
  readonly json: Buffer;
  readonly #places: Int32Array;
  readonly #scan: number;

  /** The caller guarantees that `json` is UTF-8. Throws SyntaxError for invalid JSON, and JsonLimitError. */
  constructor(json: Buffer, limits?: JsonLimits) {
    this.json = json;
    this.#places = scanJson(json, limits);
    this.#scan = scans;
  }

  /** A document with this text that can be read: this one if it is that, else a new one. */
  with(json: Buffer): JsonDocument {
    return this.#scan === scans && json === this.json ? this : new JsonDocument(json);
  }

  #read(place: Place, field: number): number {
    if (this.#scan !== scans)
      throw new Error('A later document has reused the memory of this one.');
    return this.#places[place + field] ?? NONE;
  }

  /** The first byte of a value. */
  start(place: Place): number {
    return this.#read(place, START);
  }

  /** The byte after a value. */
  end(place: Place): number {
    return this.#read(place, END);
  }

  /** The value that starts next in the text; undefined after the last one. */
  after(place: Place): Place | undefined {
    return place + STRIDE < this.#read(ROOT, NEXT) ? place + STRIDE : undefined;
  }

  /** The number of members of an object, or of elements of an array. */
  count(place: Place): number {
    return this.#read(place, COUNT);
  }

  kind(place: Place): Kind {
    return KINDS[this.json[this.start(place)] ?? 0] ?? 'other';
  }

  /** Whether the value is an object or an array. */
  isContainer(place: Place): boolean {
    // `{` and `[` differ in one bit.
    return ((this.json[this.start(place)] ?? 0) | 0x20) === 0x7b;
  }

  bytes(place: Place): Buffer {
    return this.json.subarray(this.start(place), this.end(place));
  }

  text(place: Place): string {
    return this.json.toString('utf8', this.start(place), this.end(place));
  }

  /** Parses the value. */
  value(place: Place): unknown {
    return JSON.parse(this.text(place));
  }

  /** A string, number, boolean or null; undefined for an object, an array or a missing value. */
  scalar(place: Place | undefined): unknown {
    return place === undefined || this.isContainer(place) ? undefined : this.value(place);
  }

  /** The member or element of that name. The last one if a key is repeated, as in JSON.parse. */
  child(parent: Place, name: string): Place | undefined {
    const kind = this.kind(parent);
    if (kind === 'object') return this.#member(parent, name);
    return kind === 'array' && isIndex(name) ? this.#element(parent, Number(name)) : undefined;
  }

  /** The value at the end of a path. */
  find(path: Path): Place | undefined {
    let place: Place | undefined = ROOT;
    for (const name of path) {
      if (place !== undefined) place = this.child(place, name);
    }
    return place;
  }

  /** The elements of an array or the values of an object, in order. */
  children(parent: Place): Place[] {
    return this.firstChildren(parent, Number.POSITIVE_INFINITY);
  }

  /** At most `most` of the elements of an array, from the first. */
  firstChildren(parent: Place, most: number): Place[] {
    const children: Place[] = [];
    let child = parent + STRIDE;
    for (let left = Math.min(this.count(parent), most); left > 0; left--) {
      children.push(child);
      child = this.#read(child, NEXT);
    }
    return children;
  }

  /** Whether an element of an array is neither an object nor an array. */
  hasScalar(parent: Place): boolean {
    const json = this.json;
    const places = this.#places;
    let child = parent + STRIDE;
    for (let left = this.count(parent); left > 0; left--) {
      const first = json[places[child + START] ?? 0] ?? 0;
      // `{` and `[`, which differ in one bit.
      if ((first | 0x20) !== 0x7b) return true;
      child = places[child + NEXT] ?? 0;
    }
    return false;
  }

  /** The first byte of a member, which is the first of its key. -1 for a value that is not a member. */
  memberStart(member: Place): number {
    return this.#read(member, KEY_START);
  }

  /** The byte after the key of a member. */
  keyEnd(member: Place): number {
    return this.#read(member, KEY_END);
  }

  #member(parent: Place, name: string): Place | undefined {
    let found: Place | undefined;
    let member = parent + STRIDE;
    for (let left = this.count(parent); left > 0; left--) {
      if (this.#mayBe(member, name) && this.key(member) === name) found = member;
      member = this.#read(member, NEXT);
    }
    return found;
  }

  /** False if the first character of a key tells that it is another: most keys need not be decoded. */
  #mayBe(member: Place, name: string): boolean {
    const first = this.json[this.#read(member, KEY_START) + 1] ?? 0;
    return first === name.charCodeAt(0) || first === 0x5c /* \ */ || first >= 0x80 || name === '';
  }

  /** The key of a member. */
  key(member: Place): string {
    const key = this.json.toString(
      'utf8',
      this.#read(member, KEY_START) + 1,
      this.#read(member, KEY_END) - 1,
    );
    return key.includes('\\') ? JSON.parse(`"${key}"`) : key;
  }

  /** Whether the key of a member is written in these bytes. */
  isKey(member: Place, bytes: Buffer): boolean {
    const start = this.#read(member, KEY_START) + 1;
    if (this.#read(member, KEY_END) - 1 - start !== bytes.length) return false;
    for (let at = 0; at < bytes.length; at++) {
      if (this.json[start + at] !== bytes[at]) return false;
    }
    return true;
  }

  #element(parent: Place, index: number): Place | undefined {
    if (index >= this.count(parent)) return undefined;
    let element = parent + STRIDE;
    for (let skipped = 0; skipped < index; skipped++) element = this.#read(element, NEXT);
    return element;
  }
}
