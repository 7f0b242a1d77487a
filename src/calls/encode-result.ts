import { encodeProvenance } from './provenance.ts';
import type { CallOutcome } from './tool-call.ts';

/** The members of a call result (docs/contract.md#call-result), in pieces; the bytes of `data` are not copied. */
export function encodeResult(outcome: CallOutcome): (string | Buffer)[] {
  const { entry, response, rows, kind, cause, cacheStatus, auditId, provenance } = outcome;
  const { publicData, json } = response;
  const judged = { tool: entry.tool.name, outcome: kind, cause };
  const first = JSON.stringify(rows ? { ...judged, rows } : judged).slice(1, -1);
  const [source, facts] = encodeProvenance(provenance);
  const said = publicData ? `,"publicData":${JSON.stringify(publicData)}` : '';
  return [
    `${first},"provenance":`,
    source,
    `${facts},"upstream":${encodeUpstream(outcome)},"data":`,
    json,
    `${said},"cacheStatus":"${cacheStatus}","auditId":"${auditId}"`,
  ];
}

/** Encodes `upstream` of a result: the request, without secrets, and the response's status; null without an upstream. */
export const encodeUpstream = ({ entry, response }: CallOutcome): string =>
  entry.source === 'gateway'
    ? 'null'
    : JSON.stringify({ method: entry.tool.method, url: response.url, status: response.status });
