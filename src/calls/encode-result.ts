import { encodeUpstream } from './encode-upstream.ts';
import { encodeProvenance } from './provenance.ts';
import type { CallOutcome, RowCount } from './tool-call.ts';

/** Only a good response with data has no cause. */
const OK = ',"outcome":"ok","cause":null';

/** The members of a call result (docs/contract.md#call-result), in pieces; the bytes of `data` are not copied. */
export function encodeResult(outcome: CallOutcome): (string | Buffer)[] {
  const { entry, response, rows, kind, cause, cacheStatus, auditId, provenance } = outcome;
  const { publicData, json } = response;
  const said = publicData ? `,"publicData":${JSON.stringify(publicData)}` : '';
  const counted = rows ? `,"rows":${encodeRows(rows)}` : '';
  const judged = cause === null ? OK : `,"outcome":"${kind}","cause":"${cause}"`;
  const [source, facts] = encodeProvenance(provenance);
  return [
    `"tool":${JSON.stringify(entry.tool.name)}${judged}${counted},"provenance":`,
    source,
    `${facts},"upstream":${encodeUpstream(outcome)},"data":`,
    json,
    `${said},"cacheStatus":"${cacheStatus}","auditId":"${auditId}"`,
  ];
}

/** The same as JSON.stringify, in a tenth of the time. */
function encodeRows({ returned, omitted, total, next, hint }: RowCount): string {
  const others = next === null ? 'null' : JSON.stringify(next);
  const how = hint === undefined ? '' : `,"hint":${JSON.stringify(hint)}`;
  return `{"returned":${returned},"omitted":${omitted},"total":${total},"next":${others}${how}}`;
}
