/** The filters of the catalogue, kept in the address. */
export interface CatalogueSearch {
  readonly q?: string;
  readonly category?: string;
  readonly source?: 'preset' | 'registered';
  /** For members of a tenant: whether calls can succeed. */
  readonly state?: State;
}

export const STATES = ['ready', 'needs_key', 'failing'] as const;
type State = (typeof STATES)[number];

/** What a tool's page keeps in the address. */
export interface ToolSearch {
  /** Arguments of the playground, as JSON: a call can be repeated, changed and shared. */
  readonly args?: string;
}

/** Characters of an address that every browser and proxy accepts. */
const MAX_ARGS = 4000;
const MAX_WORDS = 200;

const textOf = (value: unknown, maxLength: number): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= maxLength ? value : undefined;

export function readFilters(search: Record<string, unknown>): CatalogueSearch {
  const { source } = search;
  // The router reads a number in the address as a number.
  const q = textOf(typeof search['q'] === 'number' ? String(search['q']) : search['q'], MAX_WORDS);
  const category = textOf(search['category'], 100);
  const state = STATES.find((each) => each === search['state']);
  return {
    ...(q && { q }),
    ...(category && { category }),
    ...((source === 'preset' || source === 'registered') && { source }),
    ...(state && { state }),
  };
}

/** The router has already parsed JSON in the address. */
export function readArgs({ args }: Record<string, unknown>): ToolSearch {
  const text = typeof args === 'object' && args !== null ? JSON.stringify(args) : args;
  const known = textOf(text, MAX_ARGS);
  return known ? { args: known } : {};
}
