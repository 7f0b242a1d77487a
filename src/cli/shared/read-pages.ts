/** Rows of a page: as many as a gateway sends. */
const PAGE = 100;

interface Page {
  readonly limit: number;
  readonly cursor?: string;
}

/** Every row of a list in pages. */
export async function readPages<Row>(
  read: (page: Page) => Promise<{ rows: readonly Row[]; nextCursor: string | null }>,
): Promise<Row[]> {
  const all: Row[] = [];
  let cursor: string | undefined;
  do {
    const { rows, nextCursor } = await read({ limit: PAGE, ...(cursor && { cursor }) });
    all.push(...rows);
    cursor = rows.length > 0 ? (nextCursor ?? undefined) : undefined;
  } while (cursor !== undefined);
  return all;
}
