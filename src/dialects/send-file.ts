import type { ResponseStream } from '../events/event-stream.ts';
import type { RouteStream } from './route.ts';

/** A file of unknown length. */
export interface Download {
  readonly contentType: string;
  readonly fileName: string;
  readonly chunks: AsyncIterable<Buffer>;
}

/** The headers of a file that a browser saves. */
export const downloadHeaders = ({ contentType, fileName }: Omit<Download, 'chunks'>) => ({
  'content-type': contentType,
  'content-disposition': `attachment; filename="${fileName.replace(/[^\w.-]/g, '_')}"`,
  'cache-control': 'private, no-store',
});

/** Sends a file piece by piece, as fast as its reader takes it. */
export const sendFile = (file: Download): RouteStream => ({
  stream: (response) => void pump(file, response),
});

/** Ends the iteration when the reader leaves. A failure half-way breaks the connection: the file must not look whole. */
async function pump(file: Download, response: ResponseStream): Promise<void> {
  response.writeHead(200, downloadHeaders(file));
  const closed = new Promise<void>((resolve) => response.once('close', resolve));
  try {
    for await (const chunk of file.chunks) {
      const sent = new Promise<void>((resolve) => response.write(chunk, resolve));
      await Promise.race([sent, closed]);
      if (response.destroyed) return;
    }
    response.end();
  } catch {
    response.destroy();
  }
}
