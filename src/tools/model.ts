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
  /** A property of the caller's arguments. */
  | {
      readonly kind: 'argument';
      readonly property: string;
      readonly computedDefault?: ComputedDefault;
    }
  /** `x-fixed`. */
  | { readonly kind: 'fixed'; readonly value: unknown }
  /** `x-secret`. */
  | {
      readonly kind: 'secret';
      /** Name of the environment variable. */
      readonly secret: string;
      /** Put before the value, as in `Bearer `. */
      readonly prefix: string;
      /** Which key it is and where one gets it; null where the document does not say. */
      readonly description: string | null;
    };

/** `x-default`: a default worked out when the tool is called. */
export interface ComputedDefault {
  readonly expression: ComputedDefaultName;
  /** Properties that stand in for this one: when any of them is given, nothing is worked out. */
  readonly unless: readonly string[];
}

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
  /** `x-item-wrapper`: each row at `items` is an object with this one member, which is the row itself. */
  readonly itemWrapper: string | null;
  /** Names of a row's fields as the response's schema has them; null where it does not describe rows. */
  readonly columns: readonly string[] | null;
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
  /** `x-step-back`: how many earlier publications are asked for when there is no data; 0 = none. */
  readonly stepBack: number;
  /** `x-personal`: arguments whose whole value is personal data. */
  readonly personal: readonly string[];
  readonly payload: PayloadShape;
  /** `x-mcp-content`: the upstream answers with MCP content of its own making. */
  readonly answersContent: boolean;
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

/** A preset server (docs/contract.md#registry). */
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
export const COMPUTED_DEFAULTS = [
  'today-kst',
  'yesterday-kst',
  'days-ago-2-kst',
  'days-ago-7-kst',
  'days-ago-14-kst',
  'days-ago-30-kst',
  'days-ago-45-kst',
  'days-ahead-30-kst',
  'yesterday-kst-dashed',
  'days-ago-30-kst-dashed',
  'year-kst',
  'last-month-kst',
  'fiscal-year-kst',
  'customs-first-month',
  'customs-last-month',
  'exchange-day',
  'latest-one',
  'ecos-start',
  'ecos-end',
  'dart-begin-date',
  'procurement-begin',
  'procurement-end',
  'kma-nowcast-date',
  'kma-nowcast-time',
  'kma-ultra-forecast-date',
  'kma-ultra-forecast-time',
  'kma-village-date',
  'kma-village-time',
  'kma-version-datetime',
  'kma-mid-issue',
  'kma-asos-day',
  'kma-living-index-time',
  'kma-radar-day',
] as const;

export type ComputedDefaultName = (typeof COMPUTED_DEFAULTS)[number];
