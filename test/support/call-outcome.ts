import type { CallOutcome } from '../../src/calls/tool-call.ts';
import type { CatalogEntry } from '../../src/tools/catalog-entry.ts';
import type { UpstreamResponse } from '../../src/upstreams/payload/upstream-response.ts';

/** The facts of an outcome that a test gives: members of the outcome and of its response side by side. */
export type OutcomeFacts = Partial<Omit<CallOutcome, 'entry' | 'response'>> &
  Partial<Omit<UpstreamResponse, 'publicData' | 'rows'>> & {
    readonly tool?: string;
    readonly server?: string;
    readonly answersContent?: boolean;
    readonly publicData?: UpstreamResponse['publicData'] | undefined;
    readonly rows?: number | undefined;
  };

/** The outcome of a successful call of `sky_now`, changed by the given facts. */
export function makeOutcome(facts: OutcomeFacts = {}): CallOutcome {
  const { tool: name = 'sky_now', server = 'Sky', answersContent = false, ...others } = facts;
  const { status = 200, url = 'https://sky.example/now', json, ok = true, ...more } = others;
  const { publicData, rows, ...rest } = more;
  const entry = {
    id: `weather.sky.${name}`,
    tool: { name, method: 'GET', answersContent },
    server: { id: 'weather/sky', name: server },
  } as unknown as CatalogEntry;
  return {
    entry,
    auditId: 'aud_1',
    cacheStatus: 'MISS',
    upstreamMs: 12,
    response: {
      status,
      url,
      json: json ?? Buffer.from('{}'),
      ok,
      ...(publicData ? { publicData } : {}),
      ...(rows === undefined ? {} : { rows }),
    },
    shownRows: undefined,
    isError: false,
    ...rest,
  };
}
