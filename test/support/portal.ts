import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

interface PortalOptions {
  /** Requests that each key may send before it is refused. */
  readonly callsPerDay: number;
  readonly latencyMs: number;
  /** The query parameter by whose value answered requests are counted, too. */
  readonly countedParameter: string;
}

export type Portal = Awaited<ReturnType<typeof startPortal>>;

const REFUSAL =
  '<OpenAPI_ServiceResponse><cmmMsgHeader><errMsg>SERVICE ERROR</errMsg><returnAuthMsg>LIMITED_NUMBER_OF_SERVICE_REQUESTS_EXCEEDS_ERROR</returnAuthMsg><returnReasonCode>22</returnReasonCode></cmmMsgHeader></OpenAPI_ServiceResponse>';

const GOOD = JSON.stringify({
  response: {
    header: { resultCode: '00', resultMsg: 'NORMAL_SERVICE' },
    body: { items: { item: [{ name: '서울' }] }, totalCount: 1 },
  },
});

/** A portal that speaks like data.go.kr, and counts the requests of each key. */
export async function startPortal({ callsPerDay, latencyMs, countedParameter }: PortalOptions) {
  const spent = new Map<string, number>();
  const answeredFor = new Map<string, number>();
  let received = 0;
  let refused = 0;
  const increase = (counts: Map<string, number>, name: string): number => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count;
  };
  const server = createServer({ keepAliveTimeout: 60_000 }, async ({ url = '' }, response) => {
    const { searchParams } = new URL(url, 'http://portal');
    received++;
    const isRefused = increase(spent, searchParams.get('serviceKey') ?? '') > callsPerDay;
    if (isRefused) refused++;
    else increase(answeredFor, searchParams.get(countedParameter) ?? '');
    await sleep(latencyMs);
    response
      .setHeader('content-type', isRefused ? 'text/xml' : 'application/json')
      .end(isRefused ? REFUSAL : GOOD);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    /** What it has received, refused requests included. */
    count: () => ({ received, refused, answeredFor }),
    close: async (): Promise<void> => {
      server.close();
      server.closeAllConnections();
    },
  };
}
