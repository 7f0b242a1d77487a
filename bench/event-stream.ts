import { connect, type Socket } from 'node:net';

/** A client stream of a gateway, read as cheaply as possible: only the ids of the calls are looked for. */
export interface EventStream {
  /** Resolves with the time (`performance.now`) at which the event of this call arrives. */
  readonly arrival: (auditId: string) => Promise<number>;
  /** Events that came twice. */
  readonly surplus: () => number;
  readonly close: () => void;
}

const ID = /aud_[0-9A-Z]{26}/g;
/** Longer than an id, which two chunks may share. */
const TAIL = 40;
const ANSWER_MS = 30_000;

/** Opens a stream, and waits until it is ready. */
export async function openEventStream(url: string, key: string): Promise<EventStream> {
  const { hostname, port, host } = new URL(url);
  const arrivals = new Map<string, PromiseWithResolvers<number>>();
  const seen = new Set<string>();
  const ready = Promise.withResolvers<void>();
  let surplus = 0;
  let tail = '';
  const arrivalOf = (auditId: string): PromiseWithResolvers<number> => {
    const known = arrivals.get(auditId) ?? Promise.withResolvers<number>();
    arrivals.set(auditId, known);
    return known;
  };
  const socket: Socket = connect(Number(port), hostname);
  socket.setEncoding('latin1');
  socket.write(
    `GET /mcp/sse HTTP/1.1\r\nhost: ${host}\r\nx-api-key: ${key}\r\naccept: text/event-stream\r\n\r\n`,
  );
  socket.on('data', (chunk: string) => {
    const now = performance.now();
    const text = tail + chunk;
    if (text.includes('event: ready')) ready.resolve();
    if (text.startsWith('HTTP/1.1 ') && !text.startsWith('HTTP/1.1 200')) {
      ready.reject(new Error(text));
    }
    for (const { 0: auditId, index } of text.matchAll(ID)) {
      // It was complete in the chunk before.
      if (index + auditId.length <= tail.length) continue;
      if (seen.has(auditId)) surplus++;
      seen.add(auditId);
      arrivalOf(auditId).resolve(now);
    }
    tail = text.slice(-TAIL);
  });
  const fail = (): void => ready.reject(new Error('The stream ended.'));
  socket.on('error', fail).on('close', fail);
  const timer = setTimeout(fail, ANSWER_MS);
  await ready.promise.finally(() => clearTimeout(timer));
  return {
    arrival: (auditId) => arrivalOf(auditId).promise,
    surplus: () => surplus,
    close: () => socket.destroy(),
  };
}
