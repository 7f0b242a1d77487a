/** A request that a simulated upstream received; `path` without the key. */
export interface LoggedRequest {
  readonly method: string;
  readonly path: string;
}

/** The requests that the simulated upstreams received: their number, and the last hundred. */
export interface RequestLog {
  readonly total: number;
  readonly last: readonly LoggedRequest[];
  add(request: LoggedRequest): void;
}

const MAX_LOGGED_REQUESTS = 100;

export function createRequestLog(): RequestLog {
  const last: LoggedRequest[] = [];
  let total = 0;
  return {
    get total() {
      return total;
    },
    last,
    add(request) {
      total++;
      last.push(request);
      if (last.length > MAX_LOGGED_REQUESTS) last.shift();
    },
  };
}
