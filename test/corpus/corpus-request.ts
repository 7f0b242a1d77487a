/** Header fields in the order in which they are sent; undefined ones are omitted. */
export type Fields = Readonly<Record<string, string | undefined>>;

/** What happens at the upstream and the clock before a request is sent. */
export interface Before {
  /** Injects a fault into the next response of a sandbox tool. */
  readonly fault?: readonly [tool: string, fault: string];
  /** Advances the gateway's clock. */
  readonly laterMs?: number;
  /** From now on the fixture upstream responds with 500 to every request, or normally again. */
  readonly upstream?: 'failing' | 'well';
}

/**
 * An HTTP request. `{{name}}` in a path, a header or a body stands for a value known only when it is sent: a key, or
 * the value in the latest response that had one (`auditId`, `etag`, `nextCursor`, `session`).
 */
export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  /** Host, Content-Length and Connection are added. */
  readonly headers: Fields;
  readonly body?: string | Buffer;
}

/** One entry of the corpus: what is sent, under a unique title. */
export type Entry = { readonly title: string; readonly before?: Before } & (
  | ({ readonly kind: 'request' } & HttpRequest)
  /** Raw bytes, on a connection that the gateway must close. */
  | { readonly kind: 'bytes'; readonly text: string }
  /** A stream that is read until it has sent the expected events, and what is posted meanwhile. */
  | ({
      readonly kind: 'stream';
      /** The number of events before any post. */
      readonly events: number;
      readonly posts: readonly Post[];
    } & HttpRequest)
  /** A gateway command. */
  | {
      readonly kind: 'command';
      readonly args: readonly string[];
      readonly env?: Readonly<Record<string, string>>;
      readonly input?: string;
    }
);

/** A request sent while a stream is open. */
export interface Post extends HttpRequest {
  /** The number of events that it causes on the stream. */
  readonly events: number;
}

/** How the gateway of an area differs from the default. */
export interface GatewayNeeds {
  readonly env?: Readonly<Record<string, string>>;
  /** None of the credentials that presets require are set. */
  readonly lacksSecrets?: true;
}
