/** The parts of an API's page. */
export const PARTS = ['tools', 'report', 'settings', 'history'] as const;
export type Part = (typeof PARTS)[number];

/** What the page of an API keeps in its address. */
export interface ApiSearch {
  readonly part?: Part;
}

/** Reads an address. Members that are not valid are left out. */
export function readApiSearch({ part }: Readonly<Record<string, unknown>>): ApiSearch {
  const known = PARTS.find((each) => each === part);
  return known ? { part: known } : {};
}
