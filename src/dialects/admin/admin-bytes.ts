import type { Encoded } from '../json-rpc/splice.ts';

/** JSON that is already encoded: a large payload is sent in pieces and never copied. */
export class AdminBytes {
  readonly body: Encoded;

  constructor(body: Encoded) {
    this.body = body;
  }
}
