import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface PortalOptions {
  /** Requests that a key may send to each operation before it is refused. */
  readonly callsPerDay: number;
  readonly latencyMs?: number;
  /** The query parameter of requests by whose value they are counted too. */
  readonly countedParameter?: string;
}

/** Whether the portal is up, answers 503, or refuses connections. */
type PortalState = 'up' | 'unavailable' | 'unreachable';

/** What the portal received since the last reset, refused requests included. */
export interface PortalCount {
  readonly received: number;
  readonly refused: number;
  /** Requests that were answered, by operation (its path) and by the value of the counted parameter. */
  readonly answeredOf: ReadonlyMap<string, number>;
  readonly answeredFor: ReadonlyMap<string, number>;
}

/** A portal that speaks like data.go.kr, with any operation, and counts the requests of each key for each of them. */
export interface Portal {
  readonly url: string;
  count(): PortalCount;
  /** Begins a new day. */
  reset(): void;
  /** Registers a key for some operations; until one is registered, every key may use every operation. */
  approve(key: string, operations: readonly string[]): void;
  become(state: PortalState): Promise<void>;
  close(): Promise<void>;
}

const REFUSALS = {
  20: 'SERVICE_ACCESS_DENIED_ERROR',
  22: 'LIMITED_NUMBER_OF_SERVICE_REQUESTS_EXCEEDS_ERROR',
  30: 'SERVICE_KEY_IS_NOT_REGISTERED_ERROR',
} as const;
type RefusalCode = keyof typeof REFUSALS;

const refusal = (code: RefusalCode): string =>
  `<OpenAPI_ServiceResponse><cmmMsgHeader><errMsg>SERVICE ERROR</errMsg><returnAuthMsg>${REFUSALS[code]}</returnAuthMsg><returnReasonCode>${code}</returnReasonCode></cmmMsgHeader></OpenAPI_ServiceResponse>`;

const GOOD = JSON.stringify({
  response: {
    header: { resultCode: '00', resultMsg: 'NORMAL_SERVICE' },
    body: { items: { item: [{ name: '서울' }] }, totalCount: 1 },
  },
});

/** The books of one day. */
function openDay() {
  const spent = new Map<string, number>();
  const answeredOf = new Map<string, number>();
  const answeredFor = new Map<string, number>();
  return { received: 0, refused: 0, spent, answeredOf, answeredFor };
}

const increase = (counts: Map<string, number>, name: string): number => {
  const count = (counts.get(name) ?? 0) + 1;
  counts.set(name, count);
  return count;
};

export async function startPortal(options: PortalOptions): Promise<Portal> {
  const { callsPerDay, latencyMs = 0, countedParameter = '' } = options;
  const approvals = new Map<string, readonly string[]>();
  let day = openDay();
  let state: PortalState = 'up';

  /** Why the portal refuses a request; undefined if it answers. A refused request is not counted against the key. */
  function refusalOf(key: string, operation: string): RefusalCode | undefined {
    const operations = approvals.size > 0 ? approvals.get(key) : [operation];
    if (!operations) return 30;
    if (!operations.includes(operation)) return 20;
    const bucket = `${key} ${operation}`;
    if ((day.spent.get(bucket) ?? 0) >= callsPerDay) return 22;
    increase(day.spent, bucket);
    return undefined;
  }

  async function answer({ url = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(url, 'http://portal');
    day.received++;
    if (state !== 'up') return void response.writeHead(503).end();
    const code = refusalOf(searchParams.get('serviceKey') ?? '', pathname);
    if (code) {
      day.refused++;
    } else {
      increase(day.answeredOf, pathname);
      increase(day.answeredFor, searchParams.get(countedParameter) ?? '');
    }
    if (latencyMs > 0) await sleep(latencyMs);
    const type = code ? 'text/xml' : 'application/json';
    response.setHeader('content-type', type).end(code ? refusal(code) : GOOD);
  }

  const server = createServer({ keepAliveTimeout: 60_000 }, answer);
  const listen = (port: number) =>
    new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const stopListening = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    count: () => day,
    reset: () => {
      day = openDay();
    },
    approve: (key, operations) => void approvals.set(key, operations),
    become: async (next) => {
      state = next;
      if (next === 'unreachable') await stopListening();
      else if (!server.listening) await listen(port);
    },
    close: stopListening,
  };
}
