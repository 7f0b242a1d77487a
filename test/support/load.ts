import { Client } from 'undici';
import { encodeCall } from './gateway-process.ts';

/** Callers that call without pause, each over its own connection, until stopped or until the gateway has ended. */
export interface Load {
  /** Audit ids of the calls whose responses were received completely. */
  readonly answered: readonly string[];
  /** Resolves once every caller has stopped. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

export function startLoad(gateway: { url: string; key: string }, callers = 32): Load {
  const answered: string[] = [];
  let stopped = false;

  async function callWithoutPause(): Promise<void> {
    const client = new Client(gateway.url);
    try {
      while (!stopped) answered.push(await callOnce(client, gateway.key, answered.length));
    } catch (error) {
      // Connections may break only because the gateway stops, which is what the tests cause.
      if (!(error instanceof Error && 'code' in error)) throw error;
    } finally {
      await client.destroy();
    }
  }

  const ended = Promise.all(Array.from({ length: callers }, callWithoutPause)).then(
    () => undefined,
  );
  return {
    answered,
    ended,
    stop: () => {
      stopped = true;
      return ended;
    },
  };
}

/** Every fourth call is not yet cached. */
async function callOnce(client: Client, key: string, count: number): Promise<string> {
  const day = new Date((count - (count % 4)) * 86_400_000).toISOString().slice(0, 10);
  const response = await client.request({
    path: '/mcp',
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: encodeCall('frankfurter_rates', { base: 'USD', date: day }),
  });
  const { result } = (await response.body.json()) as { result: { auditId: string } };
  return result.auditId;
}
