import { createHash } from 'node:crypto';

/** The page of the API reference and the script that it runs. */
export interface RenderedReference {
  readonly page: Uint8Array<ArrayBuffer>;
  readonly script: Uint8Array<ArrayBuffer>;
  /** File name of the script, which holds its hash. */
  readonly scriptName: string;
}

/** A name that changes with the script, which browsers may therefore keep. */
export const scriptNameOf = (script: Uint8Array): string =>
  `scalar.${createHash('sha256').update(script).digest('hex').slice(0, 16)}.js`;
