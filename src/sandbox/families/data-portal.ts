import {
  isXml,
  jsonResponse,
  keepItems,
  type SandboxResponse,
  xmlResponse,
} from '../sandbox-response.ts';
import type { Refusal, UpstreamFamily } from '../upstream-family.ts';

const PORTAL_REFUSALS = {
  unknown_path: ['12', 'NO_OPENAPI_SERVICE_ERROR'],
  quota: ['22', 'LIMITED_NUMBER_OF_SERVICE_REQUESTS_EXCEEDS_ERROR'],
  unregistered_key: ['30', 'SERVICE_KEY_IS_NOT_REGISTERED_ERROR'],
  expired_key: ['31', 'DEADLINE_HAS_EXPIRED_ERROR'],
  blocked_ip: ['32', 'UNREGISTERED_IP_ERROR'],
} as const;

/** A refusal by the portal in front of every data.go.kr service: XML with status 200, whatever format was requested. */
export function portalRefusal(refusal: Extract<Refusal, string>): SandboxResponse {
  const [code, name] = PORTAL_REFUSALS[refusal];
  return xmlResponse(
    `<OpenAPI_ServiceResponse>
  <cmmMsgHeader>
    <errMsg>SERVICE ERROR</errMsg>
    <returnAuthMsg>${name}</returnAuthMsg>
    <returnReasonCode>${code}</returnReasonCode>
  </cmmMsgHeader>
</OpenAPI_ServiceResponse>
`,
  );
}

/** A JSON response in the usual envelope, with the items that `change` returns for the rows. */
export function withItems(
  sample: SandboxResponse,
  change: (rows: unknown[]) => { items: unknown; totalCount: number },
): SandboxResponse {
  const { response } = JSON.parse(sample.body);
  const rows = response.body.items.item;
  return jsonResponse({ response: { ...response, body: { ...response.body, ...change(rows) } } });
}

/** A single row is sent without the surrounding array. */
export const singleRow = (sample: SandboxResponse): SandboxResponse =>
  isXml(sample)
    ? { ...sample, body: keepItems(sample.body, 1) }
    : withItems(sample, ([row]) => ({ items: { item: withFirstOfLists(row) }, totalCount: 1 }));

/** The list of radar pictures is one string, `[url, url]`, whose elements count as rows. */
const withFirstOfLists = (row: unknown): unknown =>
  JSON.parse(JSON.stringify(row).replace(/"\[([^",\]]*),[^"]*\]"/g, '"[$1]"'));

function headerOnly(code: string, message: string, sample: SandboxResponse | undefined) {
  const header = `<header><resultCode>${code}</resultCode><resultMsg>${message}</resultMsg></header>`;
  return sample && isXml(sample)
    ? xmlResponse(`<response>${header}</response>\n`)
    : jsonResponse({ response: { header: { resultCode: code, resultMsg: message } } });
}

/** The weather agency and most others on data.go.kr. */
export const dataPortal: UpstreamFamily = {
  addresses: ['https://apis.data.go.kr/', 'http://apis.data.go.kr/'],
  refuse: (refusal, sample) =>
    typeof refusal === 'string'
      ? portalRefusal(refusal)
      : headerOnly('11', 'NO_MANDATORY_REQUEST_PARAMETERS_ERROR', sample),
  empty: (sample) => headerOnly('03', 'NO_DATA', sample),
  single: singleRow,
};
