/** Header fields in the order in which they are sent; an undefined one is left out. */
export type Fields = Readonly<Record<string, string | undefined>>;

/** What happens on the far side of the gateway before something is sent. */
export interface Before {
  /** Makes the next answer of this sandbox tool go wrong. */
  readonly fault?: readonly [tool: string, fault: string];
  /** Sets the gateway's clock on. */
  readonly laterMs?: number;
  /** From now on the fixture upstream answers 500 to everything, or as usual again. */
  readonly upstream?: 'failing' | 'well';
}

/**
 * A request of HTTP. `{{name}}` in a path, a header or a body stands for what is known only when it is sent: a key, or
 * what the latest answer that had such a thing said (`auditId`, `etag`, `nextCursor`, `session`).
 */
export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  /** Host, Content-Length and Connection are added. */
  readonly headers: Fields;
  readonly body?: string | Buffer;
}

/** One entry of the corpus: what is sent, under a title of its own. */
export type Entry = { readonly title: string; readonly before?: Before } & (
  | ({ readonly kind: 'request'; readonly isWhole?: true } & HttpRequest)
  /** Bytes as they are, on a connection that the gateway is to close. */
  | { readonly kind: 'bytes'; readonly text: string }
  /** A stream that is read until it has had so many events, and what is posted meanwhile. */
  | ({
      readonly kind: 'stream';
      /** Events that come without a post. */
      readonly events: number;
      readonly posts: readonly Post[];
    } & HttpRequest)
  /** A command line of the gateway. */
  | {
      readonly kind: 'command';
      readonly args: readonly string[];
      readonly env?: Readonly<Record<string, string>>;
      readonly input?: string;
    }
);

/** A request that is sent while a stream is open. */
export interface Post extends HttpRequest {
  /** Events that the stream gets because of it. */
  readonly events: number;
}

/** Entries that one gateway gets one after another. */
export interface Area {
  /** Of the file that the answers are recorded in. */
  readonly name: string;
  readonly gateway: GatewayNeeds;
  readonly entries: readonly Entry[];
}

/** In what the gateway of an area differs from others. */
export interface GatewayNeeds {
  readonly env?: Readonly<Record<string, string>>;
  /** The operator has set none of the credentials that presets ask for. */
  readonly lacksSecrets?: true;
}
