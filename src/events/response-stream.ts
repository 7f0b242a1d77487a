/** The part of a server's response that event streams use. */
export interface ResponseStream {
  readonly destroyed: boolean;
  readonly writableEnded: boolean;
  /** Bytes that are still in this process. */
  readonly writableLength: number;
  writeHead(status: number, headers: Readonly<Record<string, string>>): unknown;
  write(piece: string | Buffer, whenSent?: () => void): unknown;
  cork(): void;
  uncork(): void;
  end(): unknown;
  destroy(): unknown;
  once(event: 'close', listener: () => void): unknown;
}
