/** A response that goes on, as far as events need it; the server's own response is one. */
export interface ResponseStream {
  readonly destroyed: boolean;
  readonly writableEnded: boolean;
  /** Bytes that have not left this process. */
  readonly writableLength: number;
  writeHead(status: number, headers: Readonly<Record<string, string>>): unknown;
  write(piece: string | Buffer, whenSent?: () => void): unknown;
  cork(): void;
  uncork(): void;
  end(): unknown;
  destroy(): unknown;
  once(event: 'close', listener: () => void): unknown;
}
