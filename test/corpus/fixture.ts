import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { SeenRequest } from '../support/fixture-upstream.ts';

/** Tools whose upstream responds as the last segment of the path specifies. */
const ANSWERS_PRESET = `openapi: 3.1.0
info: { title: Corpus, version: "1" }
servers: [{ url: "http://fixture.invalid" }]
paths:
  /answer/{kind}:
    get:
      operationId: corpus_answer
      summary: Any answer
      description: Answers as its path says.
      x-cache-ttl: 0
      parameters:
        - { name: kind, in: path, required: true, description: Which answer., schema: { type: string } }
      responses: { "200": { description: Anything. } }
  /kept/{kind}:
    get:
      operationId: corpus_kept
      description: Answers as its path says, kept for five minutes.
      x-cache-ttl: 300
      parameters:
        - { name: kind, in: path, required: true, description: Which answer., schema: { type: string } }
      responses: { "200": { description: Anything. } }
  /blocks/{kind}:
    get:
      operationId: corpus_blocks
      description: Answers with content of its own.
      x-cache-ttl: 0
      x-mcp-content: true
      parameters:
        - { name: kind, in: path, required: true, description: Which answer., schema: { type: string } }
      responses: { "200": { description: Anything. } }
  /people/{name}:
    get:
      operationId: corpus_person
      description: A person.
      x-cache-ttl: 0
      x-personal: [name]
      parameters:
        - { name: name, in: path, required: true, description: Name., schema: { type: string } }
        - { name: note, in: query, description: A note., schema: { type: string } }
      responses: { "200": { description: Anything. } }
  /rows/{kind}:
    get:
      operationId: corpus_rows
      description: Rows as its path says.
      x-cache-ttl: 0
      x-items: /rows
      x-total: /total
      x-success: { code: /code, values: ["0"], empty: [none] }
      parameters:
        - { name: kind, in: path, required: true, description: Which rows., schema: { type: string } }
        - { name: page, in: query, description: Page., schema: { type: integer, minimum: 1 } }
      responses:
        "200":
          description: Rows.
          content:
            application/json:
              schema:
                type: object
                properties:
                  rows:
                    type: array
                    items:
                      type: object
                      properties:
                        a: { type: integer, description: A number. }
                        b: { type: string, description: A text. }
                        c: { type: "null", description: Nothing. }
  /arguments:
    post:
      operationId: corpus_arguments
      description: Takes arguments of every kind.
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [title]
              additionalProperties: false
              properties:
                title: { type: string, minLength: 2, maxLength: 10, description: A title. It is shown. }
                count: { type: integer, minimum: 1, maximum: 9, description: How many. }
                ratio: { type: number, exclusiveMinimum: 0, exclusiveMaximum: 1, description: A share. }
                step: { type: integer, multipleOf: 5, description: A step. }
                flag: { type: boolean, description: Whether. }
                color: { type: string, enum: [red, green], description: A colour. }
                fixed: { const: always, description: One word. }
                code: { type: string, pattern: "^[A-Z]{3}$", description: A code., example: KRW }
                day: { type: string, format: date, description: A day. }
                tags: { type: array, minItems: 1, maxItems: 3, uniqueItems: true, items: { type: string }, description: Tags. }
                place:
                  type: object
                  description: A place.
                  required: [lat]
                  additionalProperties: false
                  dependentRequired: { height: [unit] }
                  properties:
                    lat: { type: number, description: Latitude. }
                    lon: { type: number, description: Longitude. }
                    height: { type: number, description: Height. }
                    unit: { type: string, description: Unit of the height. }
                either: { anyOf: [{ type: string }, { type: integer }], description: A text or a number. }
                one: { oneOf: [{ title: a small number, type: integer, maximum: 10 }, { title: an even number, type: integer, multipleOf: 2 }], description: One of two. }
                maybe: { type: [string, "null"], description: A text or nothing. }
      responses: { "200": { description: Anything. } }
`;

const PUBLIC_PRESET = `openapi: 3.1.0
info: { title: Corpus of public data, version: "1" }
servers: [{ url: "http://fixture.invalid" }]
x-public-data: true
x-items: /response/body/items/item
x-total: /response/body/totalCount
x-success: { code: /response/header/resultCode, values: ["00"], empty: ["03"] }
security:
  - serviceKey: []
paths:
  /public/{kind}:
    get:
      operationId: corpus_public
      description: Public data as its path says.
      x-cache-ttl: 0
      parameters:
        - { name: kind, in: path, required: true, description: Which answer., schema: { type: string } }
        - { name: pageNo, in: query, description: Page., schema: { type: integer, minimum: 1, default: 1 } }
      responses: { "200": { description: Rows. } }
components:
  securitySchemes:
    serviceKey: { type: apiKey, in: query, name: serviceKey, description: The key., x-secret: PUBLIC_DATA_SERVICE_KEY }
`;

/** Presets over the fixture upstream, by name. */
export const CORPUS_PRESETS = { corpus: ANSWERS_PRESET, 'corpus-public': PUBLIC_PRESET };

type Responder = (response: ServerResponse, request: SeenRequest) => void;

const reply =
  (
    body: string | Buffer,
    type: string | null = 'application/json',
    status = 200,
    headers: Readonly<Record<string, string>> = {},
  ) =>
  (response: ServerResponse): void =>
    void response
      .writeHead(status, { ...(type === null ? {} : { 'content-type': type }), ...headers })
      .end(body);

const XML = 'application/xml';
const TEXT = 'text/plain; charset=utf-8';
const HTML = 'text/html; charset=utf-8';
const PAGE =
  '<!DOCTYPE html><html><head><title>Busy</title></head><body>Come <b>later</b></body></html>';

/** `안녕`. */
const KOREAN_949 = Buffer.from([0xbe, 0xc8, 0xb3, 0xe7]);
const MEDIA = Buffer.from([0x89, 0, 0xff, 0x0a, 0x80]);
const ROWS = [
  { a: 1, b: 'x', c: null },
  { a: 2, b: '둘', c: null },
  { a: 3, b: 'z', c: null },
];

const around = (before: string, middle: Buffer, after: string): Buffer =>
  Buffer.concat([Buffer.from(before), middle, Buffer.from(after)]);

/** Responses and other behaviour of the upstream, by the name that a request gives. */
const RESPONDERS: Readonly<Record<string, Responder>> = {
  // Nothing else shows the body of a call.
  arguments: (response, request) => reply(JSON.stringify(request))(response),
  echo: (response, request) => reply(JSON.stringify(request))(response),
  numbers: reply('{"a":[1,2.50,-0,1e400,12345678901234567890],"b":{"c":null}}'),
  list: reply('[{"a":1},{"a":2}]'),
  number: reply('5'),
  string: reply('"text"'),
  true: reply('true'),
  null: reply('null'),
  nothing: reply(''),
  blanks: reply(' \n '),
  'spaced-json': reply(' \n{ "a" : [ 1 , 2 ] }\n'),
  'json-as-text': reply('{"a":1}', 'text/html'),
  'bare-controls': reply('{"a":"one\ntwo\tthree"}'),
  'cut-json': reply('{"a":[1,'),
  'no-type': reply('{"a":1}', null),
  text: reply('Sehr geehrte "Welt"\n\t안녕 \u{1f30f}\\n', TEXT),
  csv: reply('a,b\r\n1,2\r\n', 'text/csv'),
  html: reply(PAGE, HTML),
  xml: reply('<?xml version="1.0"?><r><a k="v">1</a><a>2</a><b/><c>&lt;&#50;&gt;</c></r>', XML),
  'xml-names': reply('<n:r xmlns:n="urn:x"><n:a><![CDATA[<5>]]></n:a><!-- c --></n:r>', XML),
  'xml-cut': reply('<r><a>1</b></r>', XML),
  'xml-entity': reply('<!DOCTYPE r [<!ENTITY e "x">]><r>&e;</r>', XML),
  'xml-euc-kr': reply(
    around('<?xml version="1.0" encoding="EUC-KR"?><r><a>', KOREAN_949, '</a></r>'),
    'text/xml',
  ),
  'json-euc-kr': reply(around('{"a":"', KOREAN_949, '"}'), 'application/json; charset=euc-kr'),
  'json-ms949': reply(around('{"a":"', KOREAN_949, '"}'), 'application/json;charset=MS949'),
  'json-undeclared': reply(around('{"a":"', KOREAN_949, '"}')),
  'text-euc-kr': reply(KOREAN_949, 'text/plain; charset=euc-kr'),
  'utf-16': reply(Buffer.from('\ufeff{"a":"안녕"}', 'utf16le')),
  'byte-order-mark': reply('\ufeff{"a":1}'),
  'latin-1': reply(Buffer.from('{"a":"é"}', 'latin1'), 'application/json; charset=iso-8859-1'),
  png: reply(MEDIA, 'image/png'),
  mp3: reply(MEDIA, 'audio/mpeg; rate=8'),
  svg: reply('<svg xmlns="http://www.w3.org/2000/svg"><g/></svg>', 'image/svg+xml'),
  pdf: reply(MEDIA, 'application/pdf'),
  gzip: reply(gzipSync('{"a":"packed"}'), 'application/json', 200, { 'content-encoding': 'gzip' }),
  'unknown-coding': reply('{}', 'application/json', 200, { 'content-encoding': 'rot13' }),
  created: reply('{"id":7}', 'application/json', 201),
  'no-content': reply('', null, 204),
  400: reply('{"error":"bad id"}', 'application/json', 400),
  401: reply('{"error":"no key"}', 'application/json', 401),
  403: reply(PAGE, HTML, 403),
  404: reply('', null, 404),
  409: reply('taken', TEXT, 409),
  418: reply('<e><code>7</code></e>', XML, 418),
  429: reply('{"error":"slow down"}', 'application/json', 429),
  500: reply('boom', TEXT, 500),
  '500-page': reply(PAGE, HTML, 500),
  503: reply('{"error":"busy"}', 'application/json', 503),
  onward: reply('', null, 302, { location: '/answer/list' }),
  away: reply('', null, 302, { location: 'http://elsewhere.invalid/' }),
  round: reply('', null, 302, { location: '/answer/round' }),
  'nowhere-named': reply('', null, 302, { location: 'http://[' }),
  'key-repeated': (response, { url }) => {
    const token = new URL(url, 'http://upstream').searchParams.get('token');
    reply(JSON.stringify({ said: `Your key is ${token}.` }))(response);
  },
  gone: (response) => void response.destroy(),
  half: (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 });
    response.write('{"a":', () => response.destroy());
  },
  middling: reply(JSON.stringify({ items: ROWS.concat(ROWS, ROWS, ROWS) })),
  'middling-text': reply('서울 '.repeat(60), TEXT),
  large: reply(JSON.stringify({ text: '서울 '.repeat(600) })),
  never: () => undefined,
  late: (response) => void setTimeout(() => reply('{"late":true}')(response), 2_400),
  'own-blocks': reply(
    JSON.stringify({
      content: [
        { type: 'text', text: 'first' },
        { type: 'image', mimeType: 'image/png', data: 'iVBORw0K' },
        { type: 'resource', resource: { uri: 'file:///a', mimeType: 'text/plain', text: 'a' } },
      ],
      structuredContent: { n: 1 },
    }),
  ),
  'failed-blocks': reply('{"content":[{"type":"text","text":"no"}],"isError":true}'),
  'no-blocks': reply('{"content":"a text"}'),
  'three-rows': reply(JSON.stringify({ code: '0', total: 7, rows: ROWS })),
  'one-row': reply(JSON.stringify({ code: '0', rows: ROWS[0] })),
  'null-rows': reply('{"code":"0","total":0,"rows":null}'),
  'no-rows': reply('{"code":"none"}'),
  'refused-rows': reply('{"code":"E1","message":"over quota"}'),
  'public-rows': reply(envelope('00', ROWS)),
  'public-row': reply(envelope('0000', ROWS[0])),
  'public-blank': reply(envelope('00', '')),
  'public-bare': reply('{"header":{"resultCode":"00"},"body":{"items":{"item":[{"a":1}]}}}'),
  'public-flat': reply('{"resultCode":"10","resultMsg":"INVALID_REQUEST_PARAMETER_ERROR"}'),
  'public-xml': reply(
    '<response><header><resultCode>00</resultCode></header><body><items><item><a>1</a></item></items></body></response>',
    XML,
  ),
  'portal-22': reply(portalRefusal('22'), XML),
  'portal-30': reply(portalRefusal('30'), XML),
};

function envelope(code: string, item: unknown): string {
  const body = item === '' ? { items: '' } : { items: { item }, totalCount: 12 };
  return JSON.stringify({ response: { header: { resultCode: code, resultMsg: 'OK' }, body } });
}

function portalRefusal(code: string): string {
  return `<OpenAPI_ServiceResponse><cmmMsgHeader><errMsg>SERVICE ERROR</errMsg><returnReasonCode>${code}</returnReasonCode></cmmMsgHeader></OpenAPI_ServiceResponse>`;
}

/** A result code without data, as public-data services send it. */
const refusal = (code: string): Responder =>
  reply(
    JSON.stringify({ response: { header: { resultCode: code, resultMsg: `MESSAGE_${code}` } } }),
  );

/** Handles a request to the fixture upstream. */
export function respondAsRequested(request: SeenRequest, response: ServerResponse): void {
  const { pathname } = new URL(request.url, 'http://upstream');
  const word = pathname.split('/').at(-1) ?? '';
  const code = /^code-(\w+)$/.exec(word)?.[1];
  const chosen = code ? refusal(code) : RESPONDERS[word];
  (chosen ?? reply('{"ok":true}'))(response, request);
}
