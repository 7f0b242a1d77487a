import type { ResponseStream } from '../../events/event-stream.ts';
import type { RouteStream } from '../route.ts';

/** A download of unknown length, sent piece by piece as fast as its reader takes it. */
export class AdminFile {
  readonly contentType: string;
  readonly fileName: string;
  readonly chunks: AsyncIterable<Buffer>;

  constructor(file: Pick<AdminFile, 'contentType' | 'fileName' | 'chunks'>) {
    this.contentType = file.contentType;
    this.fileName = file.fileName;
    this.chunks = file.chunks;
  }
}

export const sendFile = (file: AdminFile): RouteStream => ({
  stream: (response) => void pump(file, response),
});

/** Ends the iteration when the reader leaves. A failure half-way breaks the connection: the file must not look whole. */
async function pump(file: AdminFile, response: ResponseStream): Promise<void> {
  response.writeHead(200, {
    'content-type': file.contentType,
    'content-disposition': `attachment; filename="${file.fileName.replace(/[^\w.-]/g, '_')}"`,
    'cache-control': 'no-store',
  });
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
