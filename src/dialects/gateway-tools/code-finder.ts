import type { Awaitable } from '../../platform/kernel/awaitable.ts';
import type { ToolConnection } from '../../tools/tool-connection.ts';

/** What `find_code` looks for: a name, or what is near a point. */
export interface CodeQuery {
  readonly kind: string;
  readonly text?: string;
  readonly near?: { readonly lat: number; readonly lon: number };
  readonly limit?: number;
}

/** A code that was found, with its names. Further members say what it belongs to. */
export interface FoundCode {
  readonly code: string;
  readonly name: string;
  readonly nameEn?: string;
  /** The name in Latin letters where the table has no English name. */
  readonly romanised?: string;
}

/**
 * Finds codes by name or position. `find` fails with `invalid_arguments`, and returns the best hit first; a promise is of a
 * kind whose codes are fetched.
 */
export interface CodeFinder {
  /** Another array once they or the note have changed. */
  readonly kinds: readonly string[];
  /** What to know before choosing a kind. */
  readonly kindNote?: string | undefined;
  find(query: CodeQuery): Awaitable<readonly FoundCode[]>;
}

/** How `find_code` reaches its tables: a request is answered in this process. */
export const connectCodes = (codes: CodeFinder): ToolConnection => ({
  cacheIdentity: '',
  secrets: () => undefined,
  sender: {
    send: async ({ body }) => {
      const startedMs = performance.now();
      const hits = await codes.find(JSON.parse(body?.toString() ?? '{}'));
      return {
        status: 200,
        contentType: 'application/json',
        body: Buffer.from(JSON.stringify(hits)),
        upstreamMs: performance.now() - startedMs,
      };
    },
  },
});
