/** Rows of a page: as many as a gateway sends. */
const PAGE = 100;

interface Page {
  readonly limit: number;
  readonly cursor?: string;
}

type Output<Name extends string, Row> = { readonly [name in Name]: readonly Row[] } & {
  readonly nextCursor: string | null;
};

/** The rows of a list in pages, which are its member `name`; at most `limit`. The next page is read once they are consumed. */
export async function* readPages<Name extends string, Row>(
  read: (page: Page) => Promise<Output<Name, Row>>,
  name: Name,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<Row, void, void> {
  let left = limit;
  let cursor: string | null = null;
  do {
    const page: Output<Name, Row> = await read({
      limit: Math.min(left, PAGE),
      ...(cursor && { cursor }),
    });
    const rows: readonly Row[] = page[name];
    yield* rows;
    left -= rows.length;
    cursor = page.nextCursor;
  } while (cursor !== null && left > 0);
}
