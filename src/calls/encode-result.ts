import { encodeUpstream } from './encode-upstream.ts';
import { encodeProvenance } from './provenance.ts';
import type { CallOutcome } from './tool-call.ts';

/**
 * The members of a call result (docs/contract.md#call-result), in pieces; the bytes of `data` are not copied. An object of
 * all members would take twice as long to write as its texts do; words of closed lists and ids need no escapes.
 */
export function encodeResult(outcome: CallOutcome): (string | Buffer)[] {
  const { entry, response, rows, kind, cause, cacheStatus, auditId, provenance } = outcome;
  const { publicData, json } = response;
  const counted = rows ? `,"rows":${JSON.stringify(rows)}` : '';
  const [source, facts] = encodeProvenance(provenance);
  const said = publicData ? `,"publicData":${JSON.stringify(publicData)}` : '';
  return [
    `"tool":${JSON.stringify(entry.tool.name)},"outcome":"${kind}","cause":${cause && `"${cause}"`}${counted},"provenance":`,
    source,
    `${facts},"upstream":${encodeUpstream(outcome)},"data":`,
    json,
    `${said},"cacheStatus":"${cacheStatus}","auditId":"${auditId}"`,
  ];
}
