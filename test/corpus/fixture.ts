import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { SeenRequest } from '../support/fixture-upstream.ts';

/** Tools whose upstream answers in the way that the last part of the path names. */
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
      description: Answers as its path says, for a second.
      x-cache-ttl: 1
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
      x-success: { code: /code, values: ["0"], empty: [none], message: /message }
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
x-success: { code: /response/header/resultCode, values: ["00"], empty: ["03"], message: /response/header/resultMsg }
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

type Answer = (response: ServerResponse, request: SeenRequest) => void;

const answer =
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

/** Answers and other things that upstreams do, by the word that asks for them. */
const ANSWERS: Readonly<Record<string, Answer>> = {
  // The body of a call that has one is seen nowhere else.
  arguments: (response, request) => answer(JSON.stringify(request))(response),
  echo: (response, request) => answer(JSON.stringify(request))(response),
  numbers: answer('{"a":[1,2.50,-0,1e400,12345678901234567890],"b":{"c":null}}'),
  list: answer('[{"a":1},{"a":2}]'),
  number: answer('5'),
  string: answer('"text"'),
  true: answer('true'),
  null: answer('null'),
  nothing: answer(''),
  blanks: answer(' \n '),
  'spaced-json': answer(' \n{ "a" : [ 1 , 2 ] }\n'),
  'json-as-text': answer('{"a":1}', 'text/html'),
  'bare-controls': answer('{"a":"one\ntwo\tthree"}'),
  'cut-json': answer('{"a":[1,'),
  'no-type': answer('{"a":1}', null),
  text: answer('Sehr geehrte "Welt"\n\t안녕 \u{1f30f}\\n', TEXT),
  csv: answer('a,b\r\n1,2\r\n', 'text/csv'),
  html: answer(PAGE, HTML),
  xml: answer('<?xml version="1.0"?><r><a k="v">1</a><a>2</a><b/><c>&lt;&#50;&gt;</c></r>', XML),
  'xml-names': answer('<n:r xmlns:n="urn:x"><n:a><![CDATA[<5>]]></n:a><!-- c --></n:r>', XML),
  'xml-cut': answer('<r><a>1</b></r>', XML),
  'xml-entity': answer('<!DOCTYPE r [<!ENTITY e "x">]><r>&e;</r>', XML),
  'xml-euc-kr': answer(
    around('<?xml version="1.0" encoding="EUC-KR"?><r><a>', KOREAN_949, '</a></r>'),
    'text/xml',
  ),
  'json-euc-kr': answer(around('{"a":"', KOREAN_949, '"}'), 'application/json; charset=euc-kr'),
  'json-ms949': answer(around('{"a":"', KOREAN_949, '"}'), 'application/json;charset=MS949'),
  'json-undeclared': answer(around('{"a":"', KOREAN_949, '"}')),
  'text-euc-kr': answer(KOREAN_949, 'text/plain; charset=euc-kr'),
  'utf-16': answer(Buffer.from('\ufeff{"a":"안녕"}', 'utf16le')),
  'byte-order-mark': answer('\ufeff{"a":1}'),
  'latin-1': answer(Buffer.from('{"a":"é"}', 'latin1'), 'application/json; charset=iso-8859-1'),
  png: answer(MEDIA, 'image/png'),
  mp3: answer(MEDIA, 'audio/mpeg; rate=8'),
  svg: answer('<svg xmlns="http://www.w3.org/2000/svg"><g/></svg>', 'image/svg+xml'),
  pdf: answer(MEDIA, 'application/pdf'),
  gzip: answer(gzipSync('{"a":"packed"}'), 'application/json', 200, { 'content-encoding': 'gzip' }),
  'unknown-coding': answer('{}', 'application/json', 200, { 'content-encoding': 'rot13' }),
  created: answer('{"id":7}', 'application/json', 201),
  'no-content': answer('', null, 204),
  400: answer('{"error":"bad id"}', 'application/json', 400),
  401: answer('{"error":"no key"}', 'application/json', 401),
  403: answer(PAGE, HTML, 403),
  404: answer('', null, 404),
  409: answer('taken', TEXT, 409),
  418: answer('<e><code>7</code></e>', XML, 418),
  429: answer('{"error":"slow down"}', 'application/json', 429),
  500: answer('boom', TEXT, 500),
  '500-page': answer(PAGE, HTML, 500),
  503: answer('{"error":"busy"}', 'application/json', 503),
  onward: answer('', null, 302, { location: '/answer/list' }),
  away: answer('', null, 302, { location: 'http://elsewhere.invalid/' }),
  round: answer('', null, 302, { location: '/answer/round' }),
  'nowhere-named': answer('', null, 302, { location: 'http://[' }),
  'key-repeated': (response, { url }) => {
    const token = new URL(url, 'http://upstream').searchParams.get('token');
    answer(JSON.stringify({ said: `Your key is ${token}.` }))(response);
  },
  gone: (response) => void response.destroy(),
  half: (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 });
    response.write('{"a":', () => response.destroy());
  },
  middling: answer(JSON.stringify({ items: ROWS.concat(ROWS, ROWS, ROWS) })),
  'middling-text': answer('서울 '.repeat(60), TEXT),
  large: answer(JSON.stringify({ text: '서울 '.repeat(600) })),
  never: () => undefined,
  late: (response) => void setTimeout(() => answer('{"late":true}')(response), 2_400),
  'own-blocks': answer(
    JSON.stringify({
      content: [
        { type: 'text', text: 'first' },
        { type: 'image', mimeType: 'image/png', data: 'iVBORw0K' },
        { type: 'resource', resource: { uri: 'file:///a', mimeType: 'text/plain', text: 'a' } },
      ],
      structuredContent: { n: 1 },
    }),
  ),
  'failed-blocks': answer('{"content":[{"type":"text","text":"no"}],"isError":true}'),
  'no-blocks': answer('{"content":"a text"}'),
  'three-rows': answer(JSON.stringify({ code: '0', total: 7, rows: ROWS })),
  'one-row': answer(JSON.stringify({ code: '0', rows: ROWS[0] })),
  'null-rows': answer('{"code":"0","total":0,"rows":null}'),
  'no-rows': answer('{"code":"none"}'),
  'refused-rows': answer('{"code":"E1","message":"over quota"}'),
  'public-rows': answer(envelope('00', ROWS)),
  'public-row': answer(envelope('0000', ROWS[0])),
  'public-blank': answer(envelope('00', '')),
  'public-bare': answer('{"header":{"resultCode":"00"},"body":{"items":{"item":[{"a":1}]}}}'),
  'public-flat': answer('{"resultCode":"10","resultMsg":"INVALID_REQUEST_PARAMETER_ERROR"}'),
  'public-xml': answer(
    '<response><header><resultCode>00</resultCode></header><body><items><item><a>1</a></item></items></body></response>',
    XML,
  ),
  'portal-22': answer(portalRefusal('22'), XML),
  'portal-30': answer(portalRefusal('30'), XML),
};

function envelope(code: string, item: unknown): string {
  const body = item === '' ? { items: '' } : { items: { item }, totalCount: 12 };
  return JSON.stringify({ response: { header: { resultCode: code, resultMsg: 'OK' }, body } });
}

function portalRefusal(code: string): string {
  return `<OpenAPI_ServiceResponse><cmmMsgHeader><errMsg>SERVICE ERROR</errMsg><returnReasonCode>${code}</returnReasonCode></cmmMsgHeader></OpenAPI_ServiceResponse>`;
}

/** A result code without data, as public services send it. */
const refusal = (code: string): Answer =>
  answer(
    JSON.stringify({ response: { header: { resultCode: code, resultMsg: `MESSAGE_${code}` } } }),
  );

/** What the fixture upstream does with a request. */
export function answerAsAsked(request: SeenRequest, response: ServerResponse): void {
  const { pathname } = new URL(request.url, 'http://upstream');
  const word = pathname.split('/').at(-1) ?? '';
  const code = /^code-(\w+)$/.exec(word)?.[1];
  const chosen = code ? refusal(code) : ANSWERS[word];
  (chosen ?? answer('{"ok":true}'))(response, request);
}
