import { encodeUpstream } from './encode-upstream.ts';
import { encodeProvenance } from './provenance.ts';
import type { CallOutcome } from './tool-call.ts';

/** The members of a call result before the bytes of `data` and after them (docs/contract.md#call-result). */
export function encodeResult(outcome: CallOutcome): { before: string; after: string } {
  const { entry, response, rows, kind, cause, cacheStatus, auditId, provenance } = outcome;
  const { publicData } = response;
  const said = publicData ? `,"publicData":${JSON.stringify(publicData)}` : '';
  const counted = rows ? `,"rows":${JSON.stringify(rows)}` : '';
  const why = cause === null ? 'null' : `"${cause}"`;
  return {
    before: `"tool":${JSON.stringify(entry.tool.name)},"outcome":"${kind}","cause":${why}${counted},"provenance":${encodeProvenance(provenance)},"upstream":${encodeUpstream(outcome)},"data":`,
    after: `${said},"cacheStatus":"${cacheStatus}","auditId":"${auditId}"`,
  };
}
