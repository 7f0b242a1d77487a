/** What the compiler makes of one API description: the tools, and all that is needed to call them. */

/** A JSON Schema 2020-12 object. */
export type JsonSchema = { readonly [keyword: string]: unknown };

export type HttpMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS' | 'TRACE';

export type ParameterLocation = 'path' | 'query' | 'header' | 'cookie';

export type ParameterStyle =
  | 'form'
  | 'spaceDelimited'
  | 'pipeDelimited'
  | 'deepObject'
  | 'simple'
  | 'label'
  | 'matrix';

/** How one parameter of the operation is filled and written. */
export interface ParameterBinding {
  /** Name on the wire. */
  readonly name: string;
  readonly in: ParameterLocation;
  readonly style: ParameterStyle;
  readonly explode: boolean;
  readonly allowReserved: boolean;
  /** Set when the parameter uses `content`: the value is serialised in this media type first. */
  readonly contentType?: string;
  /** Where the value comes from. */
  readonly source: ParameterSource;
}

export type ParameterSource =
  /** A property of the caller's arguments; `computedDefault` names an `x-default` expression. */
  | { readonly kind: 'argument'; readonly property: string; readonly computedDefault?: string }
  /** `x-fixed`. */
  | { readonly kind: 'fixed'; readonly value: unknown }
  /** `x-secret`: the environment name of the secret. `prefix` is put before it, as in `Bearer `. */
  | { readonly kind: 'secret'; readonly secret: string; readonly prefix: string };

/** How the JSON, form or multipart body is built. */
export interface BodyBinding {
  readonly contentType: string;
  readonly kind: 'json' | 'form' | 'multipart' | 'text';
  readonly required: boolean;
  /** Properties lifted to the top of the arguments; null when the whole body is the property `body`. */
  readonly lifted: readonly string[] | null;
  /** Values always sent, `x-fixed` within the body's schema. */
  readonly fixed: Readonly<Record<string, unknown>>;
  /** OpenAPI `encoding` per property: style, explode and content type, where said. */
  readonly encoding: Readonly<
    Record<string, { contentType?: string; style?: ParameterStyle; explode?: boolean }>
  >;
}

/** How an upstream says yes: `x-success`. */
export interface SuccessRule {
  /** JSON pointer to the result code in the normalised payload; null when there is none. */
  readonly code: string | null;
  /** Codes that mean success, beside 0, 00, 000 and 0000. */
  readonly values: readonly string[];
  /** Codes that mean "no data", an empty success; 03 unless said. */
  readonly empty: readonly string[];
  /** JSON pointer to the upstream's own message, if any. */
  readonly message: string | null;
  /** JSON pointer that must exist in a good payload (for upstreams without a code). */
  readonly present: string | null;
  /** JSON pointer whose existence means failure. */
  readonly failure: string | null;
}

/** Where things are in the normalised payload. */
export interface PayloadShape {
  /** `x-items`: JSON pointer to the rows (`''` = the root). Always an array after normalisation. */
  readonly items: string | null;
  /** `x-total`: JSON pointer to the number of rows there are in all. */
  readonly total: string | null;
  readonly success: SuccessRule | null;
}

export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly openWorldHint: boolean;
}

/** One upstream operation, compiled. Immutable; shared by every caller. */
export interface Tool {
  readonly name: string;
  readonly title: string | null;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly annotations: ToolAnnotations;
  readonly method: HttpMethod;
  /** Path template relative to `baseUrl`, as in the document. */
  readonly path: string;
  /** Base address with server variables filled in, without a trailing slash. */
  readonly baseUrl: string;
  readonly parameters: readonly ParameterBinding[];
  readonly body: BodyBinding | null;
  readonly isPublicData: boolean;
  /** The input offers `lat`,`lon` beside `nx`,`ny`. */
  readonly grid: boolean;
  /** 0 = never cached. */
  readonly cacheTtlSeconds: number;
  readonly payload: PayloadShape;
  /** Names of the secrets a call needs, without duplicates. */
  readonly secrets: readonly string[];
  /** Digest of everything above: part of every cache key, so that a changed definition never meets old answers. */
  readonly version: string;
}

/** One API description, compiled. */
export interface CompiledApi {
  readonly title: string;
  readonly baseUrl: string;
  readonly isPublicData: boolean;
  readonly tools: readonly Tool[];
}

/** A preset server (specification "Preset server"). */
export interface PresetServer extends CompiledApi {
  /** `<category>/<name>`. */
  readonly id: string;
  readonly category: string;
  readonly filePath: string;
}

/** The HTTP request that a tool and its arguments become. */
export interface UpstreamRequest {
  readonly method: HttpMethod;
  /** Scheme, host and port. */
  readonly origin: string;
  /** Path and query, percent-encoded, beginning with `/`. */
  readonly path: string;
  /** Flat name, value pairs for the wire; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
  /** The whole address with every secret's value replaced by `REDACTED`. */
  readonly redactedUrl: string;
}

/** The closed list of `x-default` expressions; src/public-data works them out when a call is made. */
export const COMPUTED_DEFAULTS: readonly string[] = [
  'today-kst',
  'kma-nowcast-date',
  'kma-nowcast-time',
  'kma-ultra-forecast-date',
  'kma-ultra-forecast-time',
  'kma-village-date',
  'kma-village-time',
];
