/** What the compiler produces from one API description: the tools, and everything needed to call them. */

import type { Cause } from '../platform/kernel/cause.ts';

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

/** How one parameter of an operation is filled and encoded. */
export interface ParameterBinding {
  /** Its name in the upstream request. */
  readonly name: string;
  readonly in: ParameterLocation;
  readonly style: ParameterStyle;
  readonly explode: boolean;
  readonly allowReserved: boolean;
  /** Of the path: whether the slashes of its value separate segments. */
  readonly isGreedy?: boolean;
  /** Between the items of a list, where no style of OpenAPI has it (`collectionFormat` of Swagger 2.0). */
  readonly delimiter?: string;
  /** Set if the parameter uses `content`: the value is first serialised in this media type. */
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
      /** `x-code-kind`: the kind of codes that it takes, such as `district`, by which names are looked up. */
      readonly codeKind?: string;
      /** `x-names`: the names of its values. */
      readonly valueNames?: ValueNames;
    }
  /** `x-fixed`. */
  | { readonly kind: 'fixed'; readonly value: unknown }
  /** `x-secret`. */
  | {
      readonly kind: 'secret';
      /** Name of the environment variable. */
      readonly secret: string;
      readonly prefix: string;
      /** Which key it is and where to get it; null if the document does not say. */
      readonly description: string | null;
    };

/** By value of an enum, the names that people use for it. */
export type ValueNames = Readonly<Record<string, readonly string[]>>;

/** `x-default`: a default that is computed when the tool is called. */
export interface ComputedDefault {
  /** The name that `x-default` gives. */
  readonly expression: string;
  readonly compute: ComputeDefault;
  /** Properties that replace this one: if any of them is given, nothing is computed. */
  readonly unless: readonly string[];
}

export type ComputeDefault = (circumstances: DefaultCircumstances) => string;

/** What a computed default may depend on. */
export interface DefaultCircumstances {
  /** Milliseconds since the epoch: the same for every argument of a call, so that a date and its time belong together. */
  readonly nowMs: number;
  /** The caller's arguments, schema defaults included. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Number of publications before the latest. */
  readonly stepsBack: number;
}

/** Arguments that callers may give instead of others, such as coordinates instead of a grid point. */
export interface ArgumentAlternative {
  /** The extension by which an operation offers it (`true`) or not (`false`). */
  readonly extension: string;
  /** The arguments that it adds. */
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  /** The descriptions of these arguments in Korean. */
  readonly korean: Readonly<Record<string, string>>;
  /** The arguments that it replaces, each with its description for documents that have none. */
  readonly replaces: Readonly<Record<string, string>>;
  /** Added to the descriptions of the arguments that it replaces. */
  readonly note: string;
  /** Whether the upstream requires the arguments that it replaces. */
  readonly isRequired: boolean;
  /** The arguments as the upstream expects them. Throws `invalid_arguments`. */
  readonly apply: (
    args: Readonly<Record<string, unknown>>,
    isRequired: boolean,
  ) => Record<string, unknown>;
}

/** How the JSON, form or multipart body is built. */
export interface BodyBinding {
  readonly contentType: string;
  readonly kind: 'json' | 'form' | 'multipart' | 'text';
  readonly required: boolean;
  /** Properties that are arguments themselves; null if the whole body is the argument `body`. */
  readonly lifted: readonly string[] | null;
  /** Values that are always sent: `x-fixed` in the body's schema. */
  readonly fixed: Readonly<Record<string, unknown>>;
  /** How each property is sent, as far as the document says. */
  readonly encoding: Readonly<Record<string, PropertyEncoding>>;
}

/** OpenAPI `encoding` of a property of a form. */
export interface PropertyEncoding {
  readonly contentType?: string;
  readonly style?: ParameterStyle;
  readonly explode?: boolean;
  readonly delimiter?: string;
  /** Whether it is a file: a part with a name and a type, given in base64. */
  readonly isFile?: true;
}

/** How a successful payload is recognised: `x-success`. */
export interface SuccessRule {
  /** JSON pointers to the result code in the normalised payload: the first that leads to one counts. */
  readonly code: readonly string[];
  /** Codes that mean success, besides 0, 00, 000 and 0000. */
  readonly values: readonly string[];
  /** Codes that mean "no data", a success without rows; by default 03. */
  readonly empty: readonly string[];
  /** JSON pointer that must exist in a successful payload, for upstreams without a code. */
  readonly present: string | null;
  readonly failure: string | null;
  /** JSON pointer to what the provider says about a failure; null if the document does not say. */
  readonly message: string | null;
  /** What the provider's codes mean. The key `HTTP 400` is that status of a response without a code. */
  readonly causes: Readonly<Record<string, Cause>>;
}

/** An argument by which the upstream should filter, and the column of the rows that must contain its value. */
export interface RowFilter {
  readonly argument: string;
  readonly column: string;
}

/** Where a response names the time to which its data refer (`x-as-of`). */
export interface AsOfPlace {
  /** JSON pointer to the time in the payload; null = in the rows. */
  readonly pointer: string | null;
  /** Columns whose values make up the time, such as a date and an hour. The latest row counts. */
  readonly columns: readonly string[];
  /** Offset of these times from UTC, such as `+09:00`; null if it is not known. */
  readonly offset: string | null;
}

/** The time to which the data of a tool refer (`x-as-of`). */
export type AsOfRule =
  | { readonly kind: 'payload'; readonly place: AsOfPlace }
  /** The arguments that make up the time, such as the date and the hour of an issue. */
  | {
      readonly kind: 'arguments';
      readonly names: readonly string[];
      readonly offset: string | null;
    }
  /** The data always describe the moment in which they are fetched. */
  | { readonly kind: 'fetch' }
  | { readonly kind: 'unknown' };

/** The terms under which data may be used (`x-licence`). */
export interface Licence {
  /** A short name, such as `CC-BY-4.0`; `unknown` if the publisher does not say. */
  readonly code: string;
  readonly title: string | null;
  readonly url: string | null;
}

export interface DataSource {
  readonly publisher: string | null;
  readonly dataset: string;
  /** The number in the address of that page, by which a portal approves keys; null if it has none. */
  readonly datasetId: string | null;
  /** The page that describes the dataset, and where a key for it is applied for. */
  readonly docUrl: string | null;
  readonly licence: Licence;
  /** The words by which the source is named wherever the data are shown; null without a publisher. */
  readonly attribution: string | null;
  readonly asOf: AsOfRule;
  /** The extensions by which a preset says all this, and which its document does not have. */
  readonly missing: readonly string[];
}

/** Where to find what in the normalised payload. */
export interface PayloadShape {
  /** `x-items`: JSON pointer to the rows (`''` is the root). Always an array after normalisation. */
  readonly items: string | null;
  /** `x-total`: JSON pointer to the total number of rows. */
  readonly total: string | null;
  readonly success: SuccessRule | null;
  /** `x-item-wrapper`: each element of `items` is an object with this one member, which is the row. */
  readonly itemWrapper: string | null;
  /** `x-list-column`: a row that has only this column, with a list, stands for one row per element. */
  readonly listColumn?: string;
  /** `x-members`: of a column whose value is an object or a list of objects, the member that stands for it. */
  readonly members?: Readonly<Record<string, string>>;
  /** `x-filter`: rows that do not match these arguments are left out, if the upstream ignores them. */
  readonly filters?: readonly RowFilter[];
  /** `x-oldest-first`: the columns that name the series of a row, where each series begins with its oldest row. */
  readonly seriesColumns?: readonly string[];
  /** `x-max-rows`: how many rows of a question can be reached by paging, if the upstream does not give all. */
  readonly maxRows?: number;
  /** Of registered APIs. Null: it has one page (`x-paging: none`). */
  readonly paging?: PagingArguments | null;
  /** Names of the columns according to the response schema; null if it does not describe rows. */
  readonly columns: readonly string[] | null;
  /** Where the time of the data is; null if the payload does not say. */
  readonly asOf: AsOfPlace | null;
  /** Of registered APIs without `x-items`: how rows are looked for in each response. */
  readonly finds?: RowSearch;
}

/** Whether responses have rows, or may have them, so that callers can choose among them. */
export const hasRows = ({ items, finds }: Pick<PayloadShape, 'items' | 'finds'>): boolean =>
  items !== null || (finds !== undefined && finds.expected !== 'none');

/** Where the rows of a response are (docs/rows.md). */
export interface RowPlace {
  /** JSON pointer to the list of rows. */
  readonly items: string;
  /** The member of each element that is the row; null = the element itself. */
  readonly itemWrapper: string | null;
  /** JSON pointer to the number of all rows; null if nothing says it. */
  readonly total: string | null;
  /** JSON pointer to what leads to the next page; null if only arguments do. */
  readonly next: string | null;
  /** Why these are the rows, in a sentence. */
  readonly evidence: string;
}

/** What is known of the rows of a registered API before a response comes. */
export interface RowSearch {
  /** Where the response schema has them; null if it does not tell; `none`: it has no rows, which a response may disprove. */
  readonly expected: RowPlace | null | 'none';
  /** Columns of a row according to the response schema; a response may lack some, and have others. */
  readonly columns: readonly string[];
  /** Names by which the path calls its rows. */
  readonly names: readonly string[];
  /** Whether the path ends with a parameter, and so may lead to one thing. */
  readonly isOne: boolean;
}

/** The arguments by which the pages of a registered API follow one another, as far as their names say it (`x-paging`). */
export interface PagingArguments {
  readonly page?: string;
  /** Number of the first page or row; of a page 1 unless something says 0. */
  readonly first?: number;
  readonly offset?: string;
  /** Rows per page. */
  readonly size?: string;
  readonly cursor?: string;
  /** Takes the `id` of the last row, such as `starting_after`. */
  readonly lastId?: string;
  /** JSON pointer to the cursor, or to the address of the next page; absent = it is looked for. */
  readonly at?: string;
}

/** What is known of a column of rows. */
export interface ColumnFacts {
  /** In words, for people and models. */
  readonly title: string | null;
  readonly unit: string | null;
  /** What the codes of the column mean. */
  readonly codes: Readonly<Record<string, string>> | null;
}

/** Rows that have one quantity each become one row for each time, with a column for each quantity (`x-pivot`). */
export interface Pivot {
  /** The columns that are the same in what becomes one row, such as a date and an hour. */
  readonly rows: readonly string[];
  /** The column that names the quantity. */
  readonly category: string;
  /** The column that has its value. */
  readonly value: string;
}

/** The numbers by which an upstream says that a value is missing. */
export interface MissingNumbers {
  /** This number and all above. */
  readonly from: number;
  /** This number and all below. */
  readonly to: number;
}

/** How the rows of a tool are shown to people and models. */
export interface RowView {
  /** By name; after a pivot, the quantities are columns too. */
  readonly columns: Readonly<Record<string, ColumnFacts>>;
  /** The columns that are shown to a caller who chooses none; null = all. */
  readonly concise: readonly string[] | null;
  readonly pivot: Pivot | null;
  /** `x-missing`: by column of the payload, the numbers that stand for no value. */
  readonly missing?: Readonly<Record<string, MissingNumbers>>;
}

export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly openWorldHint: boolean;
}

/** A pair of arguments that are a range of the upstream, which a longer range is divided by (`x-range`). */
export interface NativeRange {
  /** The argument with the first value. */
  readonly from: string;
  /** The argument with the last value. */
  readonly to: string;
  /** What the values are; absent = in the form of the values. */
  readonly step?: 'day' | 'month' | 'year';
  /** Steps of one call. */
  readonly max: number;
  /** Whether the upstream leaves out the last value. */
  readonly exclusive?: boolean;
}

/** One compiled upstream operation. Immutable and shared by all callers. */
export interface Tool {
  readonly name: string;
  readonly title: string | null;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /**
   * Arguments whose default is sent if they are not given. Any other default is what the upstream assumes, and only
   * described; within an argument, the defaults of required members are sent. Absent of presets: all defaults are sent.
   */
  readonly filled?: readonly string[];
  /** Arguments whose patterns clients see wider than `inputSchema` has them; null = without a pattern. */
  readonly widePatterns: Readonly<Record<string, string | null>>;
  readonly annotations: ToolAnnotations;
  readonly method: HttpMethod;
  /** Path template relative to `baseUrl`, with `{name}` for each path parameter. */
  readonly path: string;
  /** Base URL with server variables filled in and without a trailing slash. */
  readonly baseUrl: string;
  readonly parameters: readonly ParameterBinding[];
  readonly body: BodyBinding | null;
  /** `Accept`, where the document promises other types than the gateway asks for by itself. */
  readonly accept?: string;
  readonly isPublicData: boolean;
  /** What callers may give instead of some arguments; null = nothing. */
  readonly alternative: ArgumentAlternative | null;
  /** 0: never cached. */
  readonly cacheTtlSeconds: number;
  /** `x-step-back`: how many earlier publications may be requested if there is no data. */
  readonly stepBack: number;
  /** `x-personal`: arguments whose whole value is personal data. */
  readonly personal: readonly string[];
  readonly payload: PayloadShape;
  readonly source: DataSource;
  readonly view: RowView;
  /** `x-search-hint`: words by which clients find the tool, beyond its name. */
  readonly searchHint: string | null;
  /** `x-mcp-content`: the upstream returns MCP content. */
  readonly returnsMcpContent: boolean;
  /** Names of the secrets that a call needs, without duplicates. */
  readonly secrets: readonly string[];
  /** Digest of all the above. Part of every cache key, so that a changed definition never gets earlier responses. */
  readonly version: string;
  /** `x-ko`: the texts of the tool in Korean; null without any. */
  readonly korean: KoreanTexts | null;
  /** `x-range`: its pairs of arguments that are a range. */
  readonly ranges?: readonly NativeRange[];
  /** `x-quota`: how many requests a day the provider accepts; null if it is not known. */
  readonly quota: Quota | null;
  /** `x-last-good`: how long after its fetch a good response may replace a failure, in seconds; 0 = never. */
  readonly lastGoodSeconds: number;
  /** `x-contact-header`: the header in which the provider wants to be told who asks; its absence = it does not care. */
  readonly contactHeader?: string;
  /** How the gateway introduces itself to the provider of a preset. Unset for registered APIs. */
  readonly userAgent?: string;
}

/** The texts of a tool in Korean (`x-ko`). What is missing is shown in English. */
export interface KoreanTexts {
  /** The title of its API. */
  readonly server: string | null;
  /** The description of its API. */
  readonly description: string | null;
  /** Which keys it needs and where to get them, by the names of the secrets. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly title: string | null;
  /** In place of the description. */
  readonly summary: string | null;
  /** Descriptions of arguments, by their names. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Titles of columns, by their names. */
  readonly columns: Readonly<Record<string, string>>;
  /** What codes mean, by the names of their columns. */
  readonly codes: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** `x-quota`: what a provider allows within a day that begins at midnight in `zone` (an IANA time zone). */
export interface Quota {
  readonly calls: number;
  readonly zone: string;
  readonly scope: QuotaScope;
}

/** What the provider counts: the requests of a key for each operation or dataset, of a key, or of the gateway's address. */
export type QuotaScope = 'operation' | 'dataset' | 'key' | 'address';

/** `x-topic`: what an API is about, in a word or two of each language. */
export interface Topic {
  readonly en: string;
  readonly ko: string;
}

export interface CompiledApi {
  readonly title: string;
  /** Null for registered APIs, and presets without one. */
  readonly topic: Topic | null;
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

export interface UpstreamRequest {
  readonly method: HttpMethod;
  /** Scheme, host and port. */
  readonly origin: string;
  /** Path and query, percent-encoded, starting with `/`. */
  readonly path: string;
  /** The names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
  /** The whole URL with the value of every secret replaced by `REDACTED`. */
  readonly redactedUrl: string;
}
