import { zipSync } from 'fflate';
import {
  htmlResponse,
  isXml,
  jsonResponse,
  keepItems,
  type SandboxResponse,
  xmlResponse,
} from './sandbox-response.ts';
import { onFirstUse, readFactFile, readFacts } from './tables.ts';

/** Why an upstream refuses a request before it looks for data. */
export type Refusal =
  | 'unregistered_key'
  | 'expired_key'
  | 'blocked_ip'
  | 'quota'
  | 'unknown_path'
  | { readonly missing: string };

/** How one kind of upstream reports refusals, empty results and single rows. */
export interface UpstreamFamily {
  /** Prefixes of the base addresses that belong to it. */
  readonly addresses: readonly string[];
  /** `sample` is the ordinary response of the tool, for upstreams that refuse in the requested format. */
  readonly refuse: (refusal: Refusal, sample: SandboxResponse | undefined) => SandboxResponse;
  /** The response without any rows. */
  readonly empty: (sample: SandboxResponse) => SandboxResponse;
  /** The response with a single row. */
  readonly single: (sample: SandboxResponse) => SandboxResponse;
  /** A file beside its operations, or why it is refused; undefined if this path is not that of a file. */
  readonly file?: (path: string, refusal: Refusal | undefined) => SandboxFile | undefined;
}

/** A file that is downloaded, which need not be text. */
export interface SandboxFile extends Omit<SandboxResponse, 'body'> {
  readonly body: string | Uint8Array;
}

// biome-ignore lint/suspicious/noExplicitAny: a body has the form that its upstream gives it.
type Json = any;
type Sample = SandboxResponse;

/** What upstreams refuse with, and what they respond without data: JSON, or the title of an HTML page, by name and kind. */
const refusals = onFirstUse(
  () =>
    new Map(
      readFacts('refusals').map(([upstream, kind, status, body = '']) => [
        `${upstream} ${kind}`,
        { status: Number(status), body },
      ]),
    ),
);

/** The response of an upstream in the table; without one for a kind of refusal, an HTML page or that to a wrong key. */
function respond(upstream: string, kind: string, missing = ''): SandboxResponse {
  const row = refusals().get(`${upstream} ${kind}`);
  if (!row) return kind === 'unknown_path' ? NOT_FOUND : respond(upstream, 'key');
  const body = row.body.replace('{name}', missing);
  return /^[{[]/.test(body)
    ? { ...jsonResponse(null, row.status), body }
    : htmlResponse(body, row.status);
}

const NOT_FOUND = htmlResponse('Not Found', 404);

const refusing =
  (upstream: string) =>
  (refusal: Refusal): SandboxResponse =>
    typeof refusal === 'object'
      ? respond(upstream, 'missing', refusal.missing)
      : respond(upstream, refusal);

/**
 * The forms of a family whose JSON has fewer rows, or none, in the same place: the paths of its lists, and of the members
 * that count their rows. The responses of its tools need not have all of them.
 */
function keeping(paths: string, write: (body: Json) => SandboxResponse = jsonResponse) {
  const keep = (sample: Sample, count: number): SandboxResponse => {
    const body: Json = JSON.parse(sample.body);
    for (const keys of paths.split(' ').map((path) => path.split('.'))) {
      const last = keys.pop() ?? '';
      const parent = keys.reduce((node, key) => node?.[key], body);
      if (Array.isArray(parent?.[last])) parent[last].splice(count);
      else if (parent?.[last] !== undefined) parent[last] = count;
    }
    return write(body);
  };
  return {
    empty: (sample: Sample) => keep(sample, 0),
    single: (sample: Sample) => keep(sample, 1),
  };
}

/** The first row of an upstream whose whole response is an array. */
const firstOfArray = ({ body }: Sample) => jsonResponse(JSON.parse(body).slice(0, 1));

const PORTAL_REFUSALS = {
  unknown_path: ['12', 'NO_OPENAPI_SERVICE_ERROR'],
  quota: ['22', 'LIMITED_NUMBER_OF_SERVICE_REQUESTS_EXCEEDS_ERROR'],
  unregistered_key: ['30', 'SERVICE_KEY_IS_NOT_REGISTERED_ERROR'],
  expired_key: ['31', 'DEADLINE_HAS_EXPIRED_ERROR'],
  blocked_ip: ['32', 'UNREGISTERED_IP_ERROR'],
} as const;
const MISSING_PARAMETER = ['11', 'NO_MANDATORY_REQUEST_PARAMETERS_ERROR'] as const;

/** The portal in front of every data.go.kr service refuses in XML with status 200; a missing parameter reaches the service. */
const behindPortal =
  (refuseMissing: (name: string, sample: Sample | undefined) => SandboxResponse) =>
  (refusal: Refusal, sample: Sample | undefined): SandboxResponse => {
    if (typeof refusal === 'object') return refuseMissing(refusal.missing, sample);
    const [code, name] = PORTAL_REFUSALS[refusal];
    return xmlResponse(`<OpenAPI_ServiceResponse>
  <cmmMsgHeader>
    <errMsg>SERVICE ERROR</errMsg>
    <returnAuthMsg>${name}</returnAuthMsg>
    <returnReasonCode>${code}</returnReasonCode>
  </cmmMsgHeader>
</OpenAPI_ServiceResponse>
`);
  };

/** A JSON response of data.go.kr with other members in its body, made of the old items. */
function withBody(sample: Sample, change: (items: Json) => object): SandboxResponse {
  const { response } = JSON.parse(sample.body);
  const body = { ...response.body, ...change(response.body.items) };
  return jsonResponse({ response: { ...response, body } });
}

const NO_ITEMS = { items: '', totalCount: 0 };

const header = (resultCode: string, resultMsg: string) => ({ header: { resultCode, resultMsg } });

const headerOnly = (code: string, message: string, sample: Sample | undefined): SandboxResponse =>
  sample && isXml(sample)
    ? xmlResponse(
        `<response><header><resultCode>${code}</resultCode><resultMsg>${message}</resultMsg></header></response>\n`,
      )
    : jsonResponse({ response: header(code, message) });

/** The list of radar pictures is one string, `[url, url]`, whose elements count as rows. */
const withFirstOfLists = (row: unknown): unknown =>
  JSON.parse(JSON.stringify(row).replace(/"\[([^",\]]*),[^"]*\]"/g, '"[$1]"'));

/** The weather agency and most others on data.go.kr. A single row is sent without the surrounding array. */
const DATA_PORTAL = {
  addresses: ['https://apis.data.go.kr/', 'http://apis.data.go.kr/'],
  refuse: behindPortal((_name, sample) => headerOnly(...MISSING_PARAMETER, sample)),
  empty: (sample) => headerOnly('03', 'NO_DATA', sample),
  single: (sample) =>
    isXml(sample)
      ? { ...sample, body: keepItems(sample.body, 1) }
      : withBody(sample, ({ item: [row] }) => ({
          items: { item: withFirstOfLists(row) },
          totalCount: 1,
        })),
} satisfies UpstreamFamily;

const emptyXml = (sample: Sample): SandboxResponse => ({
  ...sample,
  body: keepItems(sample.body, 0).replace(/<totalCount>\d+</, '<totalCount>0<'),
});

/** The standard datasets in their own envelope: within `response`, or at the root. */
function inEnvelope(
  sample: Sample | undefined,
  change: (content: Json) => object,
): SandboxResponse {
  const value = sample ? JSON.parse(sample.body) : {};
  return jsonResponse(value.header ? change(value) : { response: change(value.response ?? {}) });
}

/** A file is refused in XML, in the words of the operations. */
function fileRefusal(refusal: Refusal): SandboxFile {
  const { status, message } = JSON.parse(refusing('dart')(refusal).body);
  return xmlResponse(`<result><status>${status}</status><message>${message}</message></result>`);
}

/** The company of the samples, and made-up ones: a listed one and another of the same name. */
const companyList = (): SandboxFile => ({
  status: 200,
  contentType: 'application/x-msdownload',
  body: zipSync({ 'CORPCODE.xml': Buffer.from(readFactFile('dart-companies.xml')) }),
});

/** A refusal of the performing arts is a row in the usual envelope. */
const kopisRefusal = (code: string, message: string): SandboxResponse =>
  xmlResponse(`<dbs>
  <db>
    <returncode>${code}</returncode>
    <errmsg>${message}</errmsg>
  </db>
</dbs>
`);

/** JSON with the content type of HTML. */
const mislabelled = (response: SandboxResponse): SandboxResponse => ({
  ...response,
  contentType: 'text/html;charset=UTF-8',
});

/** Any upstream without a row in the table: plain HTTP statuses with a short JSON body. */
const PLAIN: UpstreamFamily = {
  addresses: [],
  refuse(refusal) {
    if (typeof refusal === 'object') {
      return jsonResponse({ error: `missing ${refusal.missing}` }, 400);
    }
    const status = { quota: 429, unknown_path: 404 }[refusal as string];
    return jsonResponse({ error: refusal }, status ?? 401);
  },
  empty: (sample) => sample,
  single: (sample) => sample,
};

/** The first match counts, so narrower addresses precede wider ones. */
const FAMILIES: readonly UpstreamFamily[] = [
  {
    // The tourism organisation: a refused parameter lacks the envelope.
    ...DATA_PORTAL,
    addresses: ['https://apis.data.go.kr/B551011/'],
    refuse: behindPortal((name) =>
      jsonResponse({
        responseTime: '2026-11-20T09:00:00.000',
        resultCode: '11',
        resultMsg: `NO_MANDATORY_REQUEST_PARAMETERS_ERROR1(${name})`,
      }),
    ),
    empty: (sample) => withBody(sample, () => NO_ITEMS),
  },
  {
    // The financial services commission: an empty result is a success.
    ...DATA_PORTAL,
    addresses: ['https://apis.data.go.kr/1160100'],
    empty: (sample) => withBody(sample, () => NO_ITEMS),
  },
  {
    // Services that support only XML: an empty result is a success, with an empty element.
    ...DATA_PORTAL,
    addresses: ['https://apis.data.go.kr/1613000', 'https://apis.data.go.kr/1220000/'],
    empty: emptyXml,
  },
  {
    // AirKorea and procurement: `items` is the array of rows, or the row itself if there is only one.
    ...DATA_PORTAL,
    addresses: ['https://apis.data.go.kr/B552584/', 'https://apis.data.go.kr/1230000/'],
    empty: (sample) => withBody(sample, () => ({ items: [], totalCount: 0 })),
    single: (sample) => withBody(sample, ([row]) => ({ items: row, totalCount: 1 })),
  },
  {
    // The astronomy institute: in both formats, an empty result is a success with empty items.
    ...DATA_PORTAL,
    addresses: ['https://apis.data.go.kr/B090041/'],
    empty: (sample) => (isXml(sample) ? emptyXml(sample) : withBody(sample, () => NO_ITEMS)),
  },
  {
    // The oceanographic agency: header and body are at the root.
    addresses: ['https://apis.data.go.kr/1192136/'],
    refuse: behindPortal(() => jsonResponse(header(...MISSING_PARAMETER))),
    empty: () => jsonResponse(header('03', 'NODATA_ERROR')),
    single(sample) {
      const { header, body } = JSON.parse(sample.body);
      const items = { item: body.items.item[0] };
      return jsonResponse({ header, body: { ...body, items, totalCount: 1 } });
    },
  },
  DATA_PORTAL,
  {
    // The other platform of data.go.kr: HTTP statuses with JSON, without the XML of the portal.
    addresses: ['https://api.odcloud.kr/'],
    refuse: refusing('odcloud'),
    ...keeping('data request_cnt'),
  },
  {
    // The standard datasets: an older envelope has the rows at `items`, the current one at `items.item`, where a single
    // row has no array.
    addresses: ['https://api.data.go.kr/openapi'],
    refuse: behindPortal((_name, sample) => inEnvelope(sample, () => header(...MISSING_PARAMETER))),
    empty: (sample) => inEnvelope(sample, () => header('03', 'NODATA_ERROR')),
    single: (sample) =>
      inEnvelope(sample, ({ header, body }) => {
        const items = 'item' in body.items ? { item: body.items.item[0] } : body.items.slice(0, 1);
        return { header, body: { ...body, items, totalCount: 1 } };
      }),
  },
  {
    // Open-Meteo: one object of parallel arrays rather than rows, so it has no empty and no single form.
    addresses: ['https://api.open-meteo.com', 'https://air-quality-api.open-meteo.com'],
    refuse: refusing('open-meteo'),
    empty: (sample) => sample,
    single: (sample) => sample,
  },
  {
    // The World Bank refuses with status 200 and an array of one element; the rows of an empty response are null.
    addresses: ['https://api.worldbank.org/'],
    refuse: (refusal) =>
      refusal === 'quota' ? htmlResponse('Too Many Requests', 429) : invalidWorldBankValue(),
    ...keeping('1 0.total'),
    empty: () => jsonResponse([{ page: 0, pages: 0, per_page: 50, total: 0 }, null]),
  },
  {
    // Frankfurter: plain HTTP statuses with a message; the root of a successful response is the array of rows.
    addresses: ['https://api.frankfurter.dev/'],
    refuse: refusing('frankfurter'),
    empty: () => respond('frankfurter', 'empty'),
    single: firstOfArray,
  },
  {
    // Heritage: XML only, without error bodies. The detail operation, which has no total, returns an empty item for an
    // unknown key.
    addresses: ['https://www.khs.go.kr/'],
    refuse: refusing('khs'),
    empty: (sample) => ({
      ...sample,
      body: sample.body.includes('<totalCnt>')
        ? keepItems(sample.body, 0).replace(/<totalCnt>\d+</, '<totalCnt>0<')
        : sample.body.replace(/<item>[\s\S]*<\/item>/, '<item></item>'),
    }),
    single: (sample) => ({ ...sample, body: keepItems(sample.body, 1) }),
  },
  {
    // Performing arts: XML only; bursts of requests are refused with an HTML page.
    addresses: ['https://kopis.or.kr/'],
    refuse(refusal) {
      if (typeof refusal === 'object') return kopisRefusal('01', `${refusal.missing} IS REQUIRED.`);
      if (refusal === 'quota') return htmlResponse('The request was blocked', 400);
      if (refusal === 'unknown_path') return NOT_FOUND;
      return kopisRefusal('02', 'SERVICE KEY IS NOT REGISTERED ERROR.');
    },
    empty: (sample) => ({ ...sample, body: keepItems(sample.body, 0, 'db') }),
    single: (sample) => ({ ...sample, body: keepItems(sample.body, 1, 'db') }),
  },
  {
    // The film council refuses with status 200 and a separate object.
    addresses: ['https://www.kobis.or.kr/'],
    refuse: refusing('kobis'),
    ...keeping(
      'boxOfficeResult.dailyBoxOfficeList movieListResult.movieList movieListResult.totCnt',
    ),
  },
  {
    // Library loans: refuses with status 200; an invalid key has a code, other refusals only a message.
    addresses: ['https://data4library.kr/'],
    refuse: refusing('data4library'),
    ...keeping('response.docs response.resultNum response.numFound'),
  },
  {
    // The Art Institute of Chicago: plain HTTP statuses with an undocumented body.
    addresses: ['https://api.artic.edu/'],
    refuse: refusing('artic'),
    ...keeping(
      'data pagination.total pagination.total_pages',
      // Members in the order that its responses without rows have had so far.
      ({ pagination, data, ...rest }) => jsonResponse({ ...rest, pagination, data }),
    ),
  },
  {
    // Open Library: no key, plain HTTP statuses, invalid parameters at `detail`.
    addresses: ['https://openlibrary.org'],
    refuse: refusing('openlibrary'),
    ...keeping('docs numFound num_found'),
  },
  {
    // The flood control offices: a refusal has no `content`; its wording is not documented.
    addresses: ['https://api.hrfco.go.kr'],
    refuse: refusing('hrfco'),
    ...keeping('content'),
  },
  {
    // The export-import bank: a refusal is a row with only a result; days without rates have no rows.
    addresses: ['https://oapi.koreaexim.go.kr/'],
    refuse: refusing('koreaexim'),
    empty: () => respond('koreaexim', 'empty'),
    single: firstOfArray,
  },
  {
    // The Bank of Korea: refusals and empty results have status 200, and replace the object named for the service.
    addresses: ['https://ecos.bok.or.kr/'],
    refuse: refusing('ecos'),
    ...keeping(
      'StatisticSearch.row StatisticSearch.list_total_count KeyStatisticList.row KeyStatisticList.list_total_count',
    ),
    empty: () => respond('ecos', 'empty'),
  },
  {
    // The statistics portal: the root is the array of rows; an object with status 200 is never data.
    addresses: ['https://kosis.kr/'],
    refuse: refusing('kosis'),
    empty: () => respond('kosis', 'empty'),
    single: firstOfArray,
  },
  {
    // The disclosure system: a code and a message with status 200, and nothing else without data.
    addresses: ['https://opendart.fss.or.kr/'],
    refuse: refusing('dart'),
    ...keeping('list total_count total_page'),
    empty: () => respond('dart', 'empty'),
    file(path, refusal) {
      if (path !== '/corpCode.xml') return undefined;
      return refusal === undefined ? companyList() : fileRefusal(refusal);
    },
  },
  {
    // The oil corporation: no codes; a refusal is a string in place of the rows, or an HTML page.
    addresses: ['https://www.opinet.co.kr/'],
    refuse: (refusal) => mislabelled(refusing('opinet')(refusal)),
    ...keeping('RESULT.OIL', (body) => mislabelled(jsonResponse(body))),
  },
];

const invalidWorldBankValue = (): SandboxResponse => {
  const value = 'The provided parameter value is not valid';
  return jsonResponse([{ message: [{ id: '120', key: 'Invalid value', value }] }]);
};

/** The family of the upstream at this base address. */
export const familyOf = (baseUrl: string): UpstreamFamily =>
  FAMILIES.find(({ addresses }) => addresses.some((start) => baseUrl.startsWith(start))) ?? PLAIN;
