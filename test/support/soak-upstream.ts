import { setTimeout as sleep } from 'node:timers/promises';
import type { UpstreamHandler } from './fixture-upstream.ts';

const LATE_MS = 300;
const SLOW_MS = 3000;
/** At the end of every minute, all requests fail for this long, so that circuits open and older responses stand in. */
const OUTAGE_MS = 3000;
const MINUTE_MS = 60_000;
const MAX_ROWS = 20_000;

/** An upstream that is late, slow, fails, breaks off and sends large responses, each now and then. */
export function answerAsInLife(): UpstreamHandler {
  const startedMs = performance.now();
  let asked = 0;
  return async ({ url }, response) => {
    const number = ++asked;
    const isOutage = (performance.now() - startedMs) % MINUTE_MS > MINUTE_MS - OUTAGE_MS;
    if (number % 500 === 0) await sleep(SLOW_MS);
    else if (number % 10 === 0) await sleep(LATE_MS);
    if (number % 60 === 0) {
      response.destroy();
      return;
    }
    response.statusCode = isOutage || number % 25 === 0 ? 503 : 200;
    response.setHeader('content-type', 'application/json');
    response.end(url.startsWith('/secret/large') ? rowsOf(number) : `{"n":${number}}`);
  };
}

/** Up to 1.3 MB. */
function rowsOf(number: number): string {
  const length = (number * 7919) % MAX_ROWS;
  return JSON.stringify({
    rows: Array.from({ length }, (_, n) => ({ id: n, name: '서울특별시', value: number + n / 2 })),
  });
}
