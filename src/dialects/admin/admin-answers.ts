import type { Encoded } from '../json-rpc/splice.ts';
import type { Download } from '../send-file.ts';

/** JSON that is already encoded: a large payload is sent in pieces and never copied. */
export class AdminBytes {
  readonly body: Encoded;

  constructor(body: Encoded) {
    this.body = body;
  }
}

/** Leads the browser to another address. */
export class AdminRedirect {
  readonly location: string;

  constructor(location: string) {
    this.location = location;
  }
}

/** A download of unknown length, sent piece by piece as fast as its reader takes it. */
export class AdminFile implements Download {
  readonly contentType: string;
  readonly fileName: string;
  readonly chunks: AsyncIterable<Buffer>;

  constructor(file: Download) {
    this.contentType = file.contentType;
    this.fileName = file.fileName;
    this.chunks = file.chunks;
  }
}
