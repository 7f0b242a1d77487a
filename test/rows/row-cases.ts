import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../src/platform/kernel/plain-json.ts';

/** One operation of a published description, an answer to it, and what a careful reader finds in that answer. */
export interface RowCase {
  readonly name: string;
  /** Package, version and file of the description, or `made` where no published one has such an answer. */
  readonly source: string;
  /** `GET /path` */
  readonly operation: string;
  /** The description, cut to this operation and without its prose. */
  readonly document: JsonObject;
  /** The arguments of the call, by the names of the description; the tool may have others. */
  readonly request: JsonObject;
  readonly response: CaseResponse;
  readonly expected: ExpectedRows;
}

interface CaseResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly contentType: string;
  /** A value if the content type is JSON, otherwise text. */
  readonly body: unknown;
}

export interface ExpectedRows {
  /** The pointer to the rows; null if the whole body is the answer. Of XML, it leads through the folded body. */
  readonly rows: string | null;
  readonly count: number | null;
  readonly total: number | null;
  /** The arguments that change for the next page; null after the last, or if no argument of the tool leads to it. */
  readonly next: JsonObject | null;
  /** Totals that are right, too. */
  readonly totalAlternatives?: readonly (number | null)[];
  /** Next pages that are right, too. */
  readonly nextAlternatives?: readonly (JsonObject | null)[];
  /** Whether a careful reader could not say: the whole body is right, and so are the rows of `rowsAlternatives`. */
  readonly ambiguous?: true;
  readonly rowsAlternatives?: readonly string[];
  readonly why: string;
}

const CASES = join(import.meta.dirname, 'cases');

/** All cases, by name. Their answers are made from examples and schemas, and labelled by hand. */
export function rowCases(): RowCase[] {
  return readdirSync(CASES)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => ({
      name: file.slice(0, -'.json'.length),
      ...JSON.parse(readFileSync(join(CASES, file), 'utf8')),
    }));
}
